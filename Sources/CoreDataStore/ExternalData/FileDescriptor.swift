import Foundation

/// An open file or folder, closed at the end of the value's life.
struct FileDescriptor: ~Copyable {
  let number: Int32

  /// - Parameter number: the result of `open`. A negative number gives `nil`, and `errno` has the reason.
  init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit { close(number) }

  /// All bytes from the start to the end.
  ///
  /// - Throws: the error number of the system.
  borrowing func contents(expecting size: Int) throws(SystemError) -> Data {
    var data = Data(count: size)
    var count = 0
    while count < size {
      let read = data.withUnsafeMutableBytes { bytes in
        pread(number, bytes.baseAddress.map { $0 + count }, size - count, off_t(count))
      }
      if read < 0, errno == EINTR { continue }
      guard read >= 0 else { throw SystemError(errno) }
      guard read > 0 else { return data.prefix(count) }
      count += read
    }
    return data
  }

  /// Writes all bytes, and waits until they are on the disk.
  borrowing func write(_ data: Data) throws(SystemError) {
    var count = 0
    while count < data.count {
      let written = data.withUnsafeBytes { bytes in
        pwrite(number, bytes.baseAddress.map { $0 + count }, data.count - count, off_t(count))
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw SystemError(errno) }
      count += written
    }
    try synchronize()
  }

  /// Waits until written bytes, or the names in a folder, are on the disk.
  borrowing func synchronize() throws(SystemError) {
    // Some file systems cannot synchronize a folder; there is nothing to wait for then.
    guard fsync(number) == 0 || errno == EINVAL || errno == ENOTSUP else { throw SystemError(errno) }
  }
}

/// An error of the system by its number.
struct SystemError: Error {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  var reason: String { String(cString: strerror(number)) }
}

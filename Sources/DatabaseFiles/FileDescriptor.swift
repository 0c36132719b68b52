package import Foundation

/// An open file or folder, closed at the end of the value's life.
package struct FileDescriptor: ~Copyable {
  package let number: Int32

  /// - Parameter number: the result of `open`. A negative number gives `nil`, and `errno` has the reason.
  package init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit { close(number) }

  /// All bytes from the start to the end.
  ///
  /// - Throws: the error number of the system.
  package borrowing func contents(expecting size: Int) throws(SystemError) -> Data {
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
  package borrowing func write(_ data: Data) throws(SystemError) {
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

  /// Copies all bytes, a part at a time, and waits until they are on the disk.
  ///
  /// - Returns: their number.
  /// - Throws: the error number of the system, and whether this file could not be read.
  package borrowing func copy(to other: borrowing FileDescriptor) throws(SystemError) -> Int64 {
    var part = [UInt8](repeating: 0, count: 1 << 18)
    var offset: off_t = 0
    while true {
      let read = part.withUnsafeMutableBytes { pread(number, $0.baseAddress, $0.count, offset) }
      if read < 0, errno == EINTR { continue }
      guard read >= 0 else { throw SystemError(errno, isOfSource: true) }
      if read == 0 { break }
      var written = 0
      while written < read {
        let count = part.withUnsafeBytes {
          pwrite(other.number, $0.baseAddress.map { $0 + written }, read - written, offset + off_t(written))
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw SystemError(errno) }
        written += count
      }
      offset += off_t(read)
    }
    try other.synchronize()
    return Int64(offset)
  }

  /// Waits until written bytes, or the names in a folder, are on the disk.
  package borrowing func synchronize() throws(SystemError) {
    // Some file systems cannot synchronize a folder; there is nothing to wait for then.
    guard fsync(number) == 0 || errno == EINVAL || errno == ENOTSUP else { throw SystemError(errno) }
  }
}

/// An error of the system by its number.
package struct SystemError: Error {
  package let number: Int32
  /// Whether a copy failed because the copied file could not be read.
  package let isOfSource: Bool

  package init(_ number: Int32, isOfSource: Bool = false) {
    self.number = number
    self.isOfSource = isOfSource
  }

  package var reason: String { String(cString: strerror(number)) }
}

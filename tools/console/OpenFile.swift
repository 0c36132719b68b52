import Foundation
import Synchronization

/// A file that is open for writing: a stream of the program, or a file that the program creates.
struct OpenFile {
  let descriptor: Int32
  /// The file's name in the message of a failed write.
  let place: String

  static let output = OpenFile(descriptor: STDOUT_FILENO, place: "standard output")

  /// Whether anything was written to standard output.
  static let hasOutput = Atomic(false)

  /// Writes all of the bytes.
  ///
  /// - Throws: ``Failure`` if the file accepts no more bytes; without messages if a reader, such as `head`, has closed
  ///   the pipe.
  func write(_ bytes: some ContiguousBytes) throws {
    Progress.shared.clear()
    if descriptor == STDOUT_FILENO { Self.hasOutput.store(true, ordering: .relaxed) }
    let code = bytes.withUnsafeBytes { bytes -> Int32 in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        guard count < 0 else {
          rest = rest.dropFirst(count)
          continue
        }
        switch errno {
        case EINTR: break
        case EAGAIN:
          // The creator of the pipe made it non-blocking.
          var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&event, 1, -1)
        default: return errno
        }
      }
      return 0
    }
    if code == EPIPE { throw Failure.readerIsGone }
    if code != 0 { throw Self.failure(place, code, saved: descriptor == STDOUT_FILENO ? Console.savedWork : nil) }
  }

  /// - Parameter saved: what the run has saved, if only what it prints is missing.
  static func failure(_ place: String, _ code: Int32, saved: String? = nil) -> Failure {
    let problem = "the output cannot be written: \(String(cString: strerror(code)))"
    if let saved {
      return Failure([
        Message(
          severity: .error, file: place, line: nil, problem: "\(problem), but \(saved)",
          remedy: "do not repeat the run: only what it prints is missing")
      ])
    }
    return Failure([
      Message(
        severity: .error, file: place, line: nil, problem: problem,
        remedy: code == ENOSPC || code == EFBIG || code == EDQUOT
          ? "see that the disk has room" : "see that it can be written to")
    ])
  }
}

package import Foundation

/// A result of any length, gathered and written in large pieces.
package final class ResultStream {
  private let handle: FileHandle
  private let place: String
  private var buffer: [UInt8] = []
  private static let pieceSize = 1 << 16

  /// Writes to standard output.
  package init() {
    handle = .standardOutput
    place = "/dev/stdout"
    buffer.reserveCapacity(2 * Self.pieceSize)
  }

  /// Writes to a file that does not exist yet; a link is not followed.
  /// - Throws: ``Failure`` if it cannot be made.
  package init(file: URL) throws {
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Self.failure(file.path, String(cString: strerror(errno))) }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    place = file.path
    buffer.reserveCapacity(2 * Self.pieceSize)
  }

  /// - Throws: ``Failure`` if the stream takes no more.
  package func write(_ bytes: [UInt8]) throws {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.pieceSize { try flush() }
  }

  package func write(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= Self.pieceSize { try flush() }
  }

  /// Writes what was gathered; to be called at the end.
  package func flush() throws {
    guard !buffer.isEmpty else { return }
    Progress.shared.clear()
    defer { buffer.removeAll(keepingCapacity: true) }
    do {
      try handle.write(contentsOf: Data(buffer))
    } catch {
      // A reader that has had enough, as `head` has, is nobody's mistake.
      if errno == EPIPE { throw Failure([]) }
      throw Self.failure(place, Failure.reason(error))
    }
  }

  private static func failure(_ path: String, _ reason: String) -> Failure {
    Failure(
      URL(fileURLWithPath: path), "the output cannot be written: \(reason)", remedy: "see that the disk has room")
  }
}

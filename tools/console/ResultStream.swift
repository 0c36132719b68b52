package import Foundation

/// A result of any length, buffered and written in large pieces.
package final class ResultStream {
  private let file: OpenFile
  /// Closes the file that this stream created.
  private let handle: FileHandle?
  private var buffer: [UInt8] = []
  private static let pieceSize = 1 << 16

  /// Writes to standard output.
  package init() {
    file = .output
    handle = nil
    buffer.reserveCapacity(2 * Self.pieceSize)
  }

  /// Writes to a file that does not exist yet; does not follow a link.
  ///
  /// - Parameter place: the final path of the file, if `url` is a draft.
  /// - Throws: ``Failure`` if the file cannot be created.
  package init(file url: URL, for place: URL? = nil) throws {
    let name = (place ?? url).path
    let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw OpenFile.failure(name, errno) }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    file = OpenFile(descriptor: descriptor, place: name)
    buffer.reserveCapacity(2 * Self.pieceSize)
  }

  /// - Throws: ``Failure`` if the stream accepts no more bytes.
  package func write(_ bytes: [UInt8]) throws {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.pieceSize { try flush() }
  }

  package func write(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= Self.pieceSize { try flush() }
  }

  /// Writes the buffered bytes. Call it at the end.
  package func flush() throws {
    guard !buffer.isEmpty else { return }
    defer { buffer.removeAll(keepingCapacity: true) }
    try file.write(buffer)
  }
}

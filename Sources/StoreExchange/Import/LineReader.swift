import Foundation

/// Reads a file line by line. Memory is that of the longest line.
struct LineReader {
  private let file: FileHandle
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false
  /// The number of the last line that was read, from 1.
  private(set) var number = 0

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
  private static let pieceSize = 1 << 18
  /// The bound of SQLite's texts.
  private static let limit = 1_000_000_000

  /// - Throws: errors of reading.
  init(_ url: URL) throws { file = try FileHandle(forReadingFrom: url) }

  /// The next line that is not blank, without its end; `nil` at the end of the file.
  ///
  /// Leaves out the byte order mark that some editors write before the first line.
  mutating func next() throws -> ArraySlice<UInt8>? {
    while var line = try nextLine() {
      number += 1
      if number == 1, line.starts(with: Self.byteOrderMark) { line = line.dropFirst(Self.byteOrderMark.count) }
      if line.contains(where: { $0 != 32 && $0 != 9 && $0 != 13 }) { return line }
    }
    return nil
  }

  private mutating func nextLine() throws -> ArraySlice<UInt8>? {
    var searched = position
    while true {
      if let end = buffer[searched...].firstIndex(of: 10) {
        defer { position = end + 1 }
        return buffer[position..<end]
      }
      if isAtEnd {
        guard position < buffer.count else { return nil }
        defer { position = buffer.count }
        return buffer[position...]
      }
      guard buffer.count - position <= Self.limit else {
        throw ImportError(
          line: number + 1, problem: "the line is longer than \(Self.limit) bytes", remedy: "write an object a line")
      }
      buffer.removeSubrange(..<position)
      position = 0
      searched = buffer.count
      let piece = try file.read(upToCount: Self.pieceSize) ?? Data()
      if piece.isEmpty { isAtEnd = true }
      buffer.append(contentsOf: piece)
    }
  }

  func close() { try? file.close() }
}

import Foundation

/// The offset of each page's newest committed version in a write-ahead log
/// (https://www.sqlite.org/fileformat.html#the_write_ahead_log).
///
/// Reads the file without SQLite. This cannot release SQLite's locks, because SQLite has none on this file. It ignores
/// the frames that SQLite ignores, so that both see the same pages.
struct WALIndex {
  /// The page size of the log in bytes.
  let pageSize: Int
  /// The number of pages of the database after the last transaction in the log.
  private(set) var pageCount: Int64 = 0
  private var offsets: [Int64: UInt64] = [:]
  private let file: FileHandle

  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// - Returns: `nil` if there is no valid log, or it has no committed transaction.
  init?(path: String) throws {
    guard let file = FileHandle(forReadingAtPath: path), let header = try file.read(upToCount: WALIndex.headerSize),
      header.count == WALIndex.headerSize
    else { return nil }
    self.file = file
    let words = WALIndex.words(header, isBigEndian: true)
    pageSize = Int(words[2])
    guard words[0] & ~1 == 0x377f_0682, words[1] == 3_007_000, (512...65_536).contains(pageSize),
      pageSize & (pageSize - 1) == 0
    else { return nil }
    let isBigEndian = words[0] & 1 == 1
    var sum = (UInt32(0), UInt32(0))
    WALIndex.add(header.prefix(24), isBigEndian, to: &sum)
    guard sum == (words[6], words[7]) else { return nil }
    // The pages of a transaction count only after its last frame, the commit frame.
    var pending: [Int64: UInt64] = [:]
    var offset = UInt64(WALIndex.headerSize)
    let frameSize = WALIndex.frameHeaderSize + pageSize
    while let frame = try file.read(upToCount: frameSize), frame.count == frameSize {
      let head = WALIndex.words(frame.prefix(WALIndex.frameHeaderSize), isBigEndian: true)
      guard head[0] > 0, (head[2], head[3]) == (words[4], words[5]) else { break }
      WALIndex.add(frame.prefix(8), isBigEndian, to: &sum)
      WALIndex.add(frame.dropFirst(WALIndex.frameHeaderSize), isBigEndian, to: &sum)
      guard sum == (head[4], head[5]) else { break }
      pending[Int64(head[0])] = offset + UInt64(WALIndex.frameHeaderSize)
      if head[1] > 0 {
        offsets.merge(pending) { _, new in new }
        pending = [:]
        pageCount = Int64(head[1])
      }
      offset += UInt64(frameSize)
    }
    if pageCount == 0 { return nil }
  }

  /// The header of a log, which changes whenever the log restarts; `nil` if there is no log.
  static func header(path: String) -> Data? {
    FileHandle(forReadingAtPath: path).flatMap { try? $0.read(upToCount: headerSize) }
  }

  /// Bytes of a page; `nil` if the page is not in the log.
  func bytes(of page: Int64, at start: Int, count: Int) throws -> Data? {
    guard let offset = offsets[page] else { return nil }
    try file.seek(toOffset: offset + UInt64(min(start, pageSize)))
    return try file.read(upToCount: max(0, min(count, pageSize - start))) ?? Data()
  }

  private static func words(_ bytes: Data, isBigEndian: Bool) -> [UInt32] {
    bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count & ~3, by: 4).map { word(bytes, $0, isBigEndian) }
    }
  }

  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ isBigEndian: Bool) -> UInt32 {
    let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
  }

  /// Adds the bytes to the checksum, two words at a time. The number of bytes is a multiple of eight.
  private static func add(_ bytes: Data, _ isBigEndian: Bool, to sum: inout (UInt32, UInt32)) {
    bytes.withUnsafeBytes { bytes in
      for offset in stride(from: 0, to: bytes.count, by: 8) {
        sum.0 = sum.0 &+ word(bytes, offset, isBigEndian) &+ sum.1
        sum.1 = sum.1 &+ word(bytes, offset + 4, isBigEndian) &+ sum.0
      }
    }
  }
}

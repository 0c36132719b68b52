import Foundation

/// Where the newest committed page of each number lies in a write-ahead log
/// (https://www.sqlite.org/fileformat.html#the_write_ahead_log).
///
/// Read by hand, which SQLite's locks do not suffer from: none of them are on this file. What SQLite would not take, it does
/// not take either, so that both see the same pages.
struct WALIndex {
  /// The size of the pages in it.
  let pageSize: Int
  /// How many pages the database has after the last transaction in it.
  private(set) var pageCount: Int64 = 0
  private var offsets: [Int64: UInt64] = [:]
  private let file: FileHandle

  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// - Returns: `nil` where there is no log, or nothing in it that counts.
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
    // Pages of a transaction count when its last one is there.
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

  /// The first bytes of a log, which are others whenever it begins anew; `nil` where there is none.
  static func header(path: String) -> Data? {
    FileHandle(forReadingAtPath: path).flatMap { try? $0.read(upToCount: headerSize) }
  }

  /// Bytes of a page; `nil` for one that is not in the log.
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

  /// Two words at a time; the count of bytes is a multiple of eight.
  private static func add(_ bytes: Data, _ isBigEndian: Bool, to sum: inout (UInt32, UInt32)) {
    bytes.withUnsafeBytes { bytes in
      for offset in stride(from: 0, to: bytes.count, by: 8) {
        sum.0 = sum.0 &+ word(bytes, offset, isBigEndian) &+ sum.1
        sum.1 = sum.1 &+ word(bytes, offset + 4, isBigEndian) &+ sum.0
      }
    }
  }
}

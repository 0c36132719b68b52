import Foundation
package import SQLite

/// Walks the b-trees of tables and indexes (https://www.sqlite.org/fileformat.html, 1.6), in the database file and its
/// WAL.
///
/// SQLite trusts the shape of b-trees. `PRAGMA integrity_check` recurses once per level, and a file may have any number
/// of levels. A page with two parents is read twice; if this doubles at every level, the rows have no end.
package struct BTreeValidator {
  /// The damage, by the name of the table or index. `sqlite_master` stands for the b-tree of the schema.
  package private(set) var damage: [String: String] = [:]
  private let connection: Connection
  private let pageSize: Int
  private let pageCount: Int64
  private let log: WALIndex?
  /// Pages that a walk has reached.
  private var seen: Set<Int64> = []

  /// SQLite's own limit for cursors: no valid b-tree is deeper.
  private static let depthLimit = 20

  /// Walks the b-trees of a connection's database in their last committed state.
  ///
  /// A database in memory has no file and no damage. Cost: one small read per page, a full read of each interior page,
  /// and a read of the whole WAL.
  /// - Throws: ``SQLiteError``; ``ResultCode/corrupt`` if the b-tree of the schema itself is damaged.
  package init(_ connection: Connection) throws {
    self.connection = connection
    log = try connection.path.flatMap { try WALIndex(path: $0 + "-wal") }
    guard
      let header = try log?.bytes(of: 1, at: 0, count: 100) ?? connection.fileBytes(at: 0, count: 100),
      header.count == 100
    else {
      (pageSize, pageCount) = (0, 0)
      return
    }
    let size = BTreeValidator.number(header, 16, 2)
    pageSize = size == 1 ? 65_536 : Int(size)
    // SQLite itself refuses any other page size.
    guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
      pageCount = 0
      return
    }
    pageCount = max(log?.pageCount ?? 0, (connection.fileSize() ?? 0) / Int64(pageSize))
    try walk(from: 1, of: "sqlite_master")
    if let problem = damage["sqlite_master"] {
      throw SQLiteError(
        extendedCode: ResultCode.corrupt.rawValue, message: "the tree of the definitions \(problem)",
        path: connection.path)
    }
    let roots = try connection.prepare("SELECT rootpage, name FROM sqlite_master WHERE rootpage > 1 ORDER BY rowid")
    while try roots.step() {
      // `integrity_check` reports two tables that share one b-tree, and it ends on such a file.
      if !seen.contains(roots.integer(0)) { try walk(from: roots.integer(0), of: roots.text(1) ?? "") }
    }
  }

  private mutating func walk(from root: Int64, of name: String) throws {
    guard root <= pageCount else { return }
    var waiting = [(page: root, depth: 1)]
    seen.insert(root)
    while let (page, depth) = waiting.popLast() {
      guard depth <= BTreeValidator.depthLimit else {
        damage[name] = "has more than \(BTreeValidator.depthLimit) levels of pages"
        return
      }
      for child in try children(of: page) where child >= 1 && child <= pageCount {
        guard seen.insert(child).inserted else {
          damage[name] = "leads to page \(child), which is in use already"
          return
        }
        waiting.append((child, depth + 1))
      }
    }
  }

  /// The child pages of an interior page; empty for a leaf, and for a page that belongs to no b-tree.
  private func children(of page: Int64) throws -> [Int64] {
    let start = page == 1 ? 100 : 0
    let kind = try self.bytes(of: page, at: start, count: 1)?.first
    guard kind == 2 || kind == 5, let bytes = try self.bytes(of: page, at: 0, count: pageSize) else { return [] }
    guard bytes.count == pageSize else { return [] }
    let count = min(Int(BTreeValidator.number(bytes, start + 3, 2)), (pageSize - start - 12) / 2)
    let cells = (0..<count).map { Int(BTreeValidator.number(bytes, start + 12 + 2 * $0, 2)) & (pageSize - 1) }
    return cells.filter { $0 + 4 <= pageSize }.map { BTreeValidator.number(bytes, $0, 4) }
      + [BTreeValidator.number(bytes, start + 8, 4)]
  }

  /// Bytes of a page in its newest committed state.
  private func bytes(of page: Int64, at start: Int, count: Int) throws -> Data? {
    if var bytes = try log?.bytes(of: page, at: start, count: count) {
      // If the WAL has smaller pages, SQLite too reads no bytes for the rest of the page. Zeros fill it.
      if bytes.count < count { bytes.append(Data(count: count - bytes.count)) }
      return bytes
    }
    return try connection.fileBytes(at: (page - 1) * Int64(pageSize) + Int64(start), count: count)
  }

  /// A big-endian number of `count` bytes.
  private static func number(_ bytes: Data, _ offset: Int, _ count: Int) -> Int64 {
    bytes[bytes.startIndex + offset..<bytes.startIndex + offset + count].reduce(0) { $0 << 8 | Int64($1) }
  }
}

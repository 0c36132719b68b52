import CSQLite
import Foundation

/// The trees of pages that tables and indexes are (https://www.sqlite.org/fileformat.html, 1.6), looked at in the file and its log.
///
/// SQLite trusts their shape: `PRAGMA integrity_check` calls itself once per level, however many a file has, and a page that
/// two others lead to is read twice, which doubled at every level gives rows without end.
package struct BTreeValidator {
  /// What is wrong, by the name of the table or index; `sqlite_master` for the tree of the definitions.
  package private(set) var damage: [String: String] = [:]
  private let connection: Connection
  private let pageSize: Int
  private let pageCount: Int64
  private let log: WALIndex?
  /// Pages that something leads to.
  private var seen: Set<Int64> = []

  /// SQLite's own bound for cursors: no table is deeper.
  private static let depthLimit = 20

  /// Walks the trees of a connection's database, as its last transaction left them.
  ///
  /// A database in memory has no file and no damage. Cost: one small read per page, and all of the log.
  /// - Throws: ``SQLiteError``; ``ResultCode/corrupt`` where the tree of the definitions itself is damaged.
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
    // Any other size SQLite refuses itself.
    guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
      pageCount = 0
      return
    }
    pageCount = max(log?.pageCount ?? 0, (connection.fileSize() ?? 0) / Int64(pageSize))
    try walk(from: 1, of: "sqlite_master")
    if let problem = damage["sqlite_master"] {
      throw SQLiteError(
        extendedCode: SQLITE_CORRUPT, message: "the tree of the definitions \(problem)", path: connection.path)
    }
    let roots = try connection.prepare("SELECT rootpage, name FROM sqlite_master WHERE rootpage > 1 ORDER BY rowid")
    while try roots.step() {
      // Two tables in one tree are for integrity_check to tell: that has an end.
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

  /// The pages that an interior page leads to; none for a leaf, and for what is no page of a tree.
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

  /// Bytes of a page in its newest state.
  private func bytes(of page: Int64, at start: Int, count: Int) throws -> Data? {
    if var bytes = try log?.bytes(of: page, at: start, count: count) {
      // What a log of smaller pages says nothing of is nothing to SQLite either.
      if bytes.count < count { bytes.append(Data(count: count - bytes.count)) }
      return bytes
    }
    return try connection.fileBytes(at: (page - 1) * Int64(pageSize) + Int64(start), count: count)
  }

  /// A number of a few bytes, the highest first.
  private static func number(_ bytes: Data, _ offset: Int, _ count: Int) -> Int64 {
    bytes[bytes.startIndex + offset..<bytes.startIndex + offset + count].reduce(0) { $0 << 8 | Int64($1) }
  }
}

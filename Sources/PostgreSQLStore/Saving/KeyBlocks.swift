import ErrorReporting
import PostgreSQL
import StoreRequests
import Synchronization

/// Hands out keys of new rows. A save takes all keys that it needs from a table's sequence in one statement.
///
/// A few more are taken at once, so that the next small save needs no statement. Keys that are never used leave gaps.
final class KeyBlocks: Sendable {
  private let layout: StoreLayout
  private let spare = Mutex<[Int: [Int64]]>([:])
  private static let least = 32

  init(_ layout: StoreLayout) { self.layout = layout }

  /// As many keys as wanted, in ascending order.
  ///
  /// - Throws: ``StoreProblem`` for a table that has lost its sequence; ``PostgreSQLError``.
  func take(_ count: Int, hierarchy: Int, over connection: Connection) throws -> [Int64] {
    let known = spare.withLock { spare -> [Int64] in
      let all = spare[hierarchy] ?? []
      guard all.count >= count else { return [] }
      spare[hierarchy] = Array(all.dropFirst(count))
      return Array(all.prefix(count))
    }
    if known.count == count { return known }
    let result = try connection.run(
      "SELECT nextval(\(layout.tables[hierarchy].keySequence)) FROM generate_series(1, $1)",
      [.integer(Int64(max(count, Self.least)))])
    let keys = try (0..<result.rowCount).map { row in
      guard !result.isNull(row, 0) else { throw Self.lostSequence(of: layout.tables[hierarchy], over: connection) }
      return result.integer(row, 0)
    }
    // Replaces keys that another thread has put there meanwhile: they stay unused.
    if keys.count > count { spare.withLock { $0[hierarchy] = Array(keys.dropFirst(count)) } }
    return Array(keys.prefix(count))
  }

  /// Moves the sequence behind the keys of all rows and forgets the keys at hand, after another program has inserted rows with its own keys.
  ///
  /// - Returns: `false` if the violated constraint is not the primary key. Nothing is done then.
  func renew(_ table: TableLayout, after constraint: String, over connection: Connection) throws -> Bool {
    let key = try connection.run(
      "SELECT 1 FROM pg_constraint WHERE conrelid = $1::regclass AND conname = $2::name AND contype = 'p'",
      [.text(table.sql), .text(constraint)])
    guard key.rowCount > 0 else { return false }
    _ = try connection.run(
      """
      SELECT setval(s.name, k.last) FROM (SELECT \(table.keySequence) AS name) s, (SELECT \(table.lastKey) AS last) k
      WHERE k.last > coalesce(pg_sequence_last_value(s.name), 0)
      """)
    spare.withLock { $0[table.root.hierarchy] = nil }
    return true
  }

  /// The error of a table whose key column has lost its identity.
  static func lostSequence(of table: TableLayout, over connection: Connection) -> StoreProblem {
    StoreProblem(
      "\(connection.address): the column \(quoted(TableLayout.key.name)) of the table \(quoted(table.name.name)) gives no keys, since it is no identity column any more",
      remedy: "make it one again: \(table.givingKeys)")
  }
}

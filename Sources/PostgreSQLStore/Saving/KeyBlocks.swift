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
  func take(_ count: Int, hierarchy: Int, over connection: Connection) throws -> [Int64] {
    let known = spare.withLock { spare -> [Int64] in
      let all = spare[hierarchy] ?? []
      guard all.count >= count else { return [] }
      spare[hierarchy] = Array(all.dropFirst(count))
      return Array(all.prefix(count))
    }
    if known.count == count { return known }
    let result = try connection.run(
      "SELECT nextval(pg_get_serial_sequence($1, $2)) FROM generate_series(1, $3)",
      [
        .text(layout.tables[hierarchy].sql), .text(TableLayout.key.name), .integer(Int64(max(count, Self.least))),
      ])
    let keys = (0..<result.rowCount).map { result.integer($0, 0) }
    // Replaces keys that another thread has put there meanwhile: they stay unused.
    if keys.count > count { spare.withLock { $0[hierarchy] = Array(keys.dropFirst(count)) } }
    return Array(keys.prefix(count))
  }
}

import Foundation
import ManagedModel
import PostgreSQL
import StoreRequests

/// Collects the changes of a save, and records them at its end, in the same transaction and in one statement.
///
/// The transactions of a store are numbered in the order of their commits, without gaps: the statement locks the counter
/// until the commit. The server sends the number to all listeners when the transaction is committed.
struct HistoryWriter {
  private let layout: StoreLayout
  private var kinds = ParameterArray(.integer16)
  private var entities = ParameterArray(.text)
  private var keys = ParameterArray(.integer64)
  private var properties = ParameterArray(.text)
  private var tombstones = ParameterArray(.text)

  init(_ layout: StoreLayout) { self.layout = layout }

  /// Separates property names in texts sent to and from the server: U+001F. A raw identifier may contain a comma, but no control
  /// character.
  static let separator: Unicode.Scalar = "\u{1F}"
  /// The separator in SQL.
  static var separatorSQL: String { "chr(\(separator.value))" }

  /// A moment's microseconds since 1970, as SQL.
  static func moment(_ column: String) -> String { "(extract(epoch FROM \(column)) * 1000000)::bigint" }

  mutating func add(
    _ kind: HistoryChange.Kind, _ object: ObjectKey, properties names: [String]? = nil, tombstone: String? = nil
  ) {
    kinds.append { BinaryForm.append(Int16(truncatingIfNeeded: kind.rawValue), to: &$0) }
    entities.append { $0 += Array((layout.entities.entity(numbered: object.entity)?.name ?? "").utf8) }
    keys.append { BinaryForm.append(object.key, to: &$0) }
    Self.append(names.map { $0.joined(separator: String(Self.separator)) }, to: &properties)
    Self.append(tombstone, to: &tombstones)
  }

  private static func append(_ text: String?, to array: inout ParameterArray) {
    if let text { array.append { $0 += Array(text.utf8) } } else { array.appendNull() }
  }

  /// Records the changes, and makes sure that the store has been neither migrated nor replaced.
  ///
  /// - Parameter state: the state of the store that the changes are meant for.
  /// - Returns: `nil` if the store has another state.
  func record(
    _ state: StoreState, author: String?, contextName: String?, over connection: Connection
  ) throws -> RecordedTransaction? {
    guard kinds.count > 0 else {
      let store = try connection.run(
        "SELECT 1 FROM \(layout.qualified(StoreDefinitions.store)) WHERE version = $1 AND identifier = $2::uuid FOR SHARE",
        [.integer(state.version), .text(state.identifier)])
      return store.rowCount == 1 ? RecordedTransaction(number: nil, origin: nil) : nil
    }
    let process = ProcessInfo.processInfo.processName
    func plain(_ text: String?) -> Parameter { .text(text?.withoutNUL) }
    let result = try connection.run(
      """
      WITH t AS (
        UPDATE \(layout.qualified(StoreDefinitions.store)) SET last_transaction = last_transaction + 1
        WHERE version = $11 AND identifier = $12::uuid RETURNING last_transaction AS number
      ), own AS (
        INSERT INTO \(layout.qualified(StoreDefinitions.transactions))
          (number, committed, author, context_name, process_name, bundle_identifier)
        SELECT number, clock_timestamp(), $1, $2, $3, $4 FROM t
        RETURNING committed
      ), listed AS (
        INSERT INTO \(layout.qualified(StoreDefinitions.changes))
          (transaction, kind, entity, key, properties, tombstone)
        SELECT t.number, s.kind, s.entity, s.key, string_to_array(s.properties, \(Self.separatorSQL)), s.tombstone::jsonb
        FROM t, unnest($5::smallint[], $6::text[], $7::bigint[], $8::text[], $9::text[])
          WITH ORDINALITY s(kind, entity, key, properties, tombstone, place) ORDER BY s.place
      )
      SELECT t.number, pg_current_xact_id()::text::bigint, \(Self.moment("own.committed")), pg_notify($10, t.number::text)
      FROM t, own
      """,
      [
        plain(author), plain(contextName), plain(process), plain(Bundle.main.bundleIdentifier ?? process),
        kinds.parameter, entities.parameter, keys.parameter, properties.parameter, tombstones.parameter,
        .text(NotificationChannel.name(schema: layout.schema.name)), .integer(state.version), .text(state.identifier),
      ])
    guard result.rowCount == 1 else { return nil }
    return RecordedTransaction(
      number: result.integer(0, 0),
      origin: .init(identifier: result.integer(0, 1), moment: result.integer(0, 2)))
  }
}

/// The facts about a save's transaction that are known before its commit.
struct RecordedTransaction {
  /// The transaction's number in the store's history; `nil` if nothing changes.
  let number: Int64?
  /// Distinguishes the transaction from earlier ones with this number that were rolled back; `nil` if nothing changes.
  let origin: Origin?

  struct Origin {
    /// The server's own number. After a crash, the server may give it to another transaction.
    let identifier: Int64
    /// The moment of the transaction in the history, in microseconds since 1970.
    let moment: Int64
  }
}

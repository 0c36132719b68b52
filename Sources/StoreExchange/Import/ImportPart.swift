import SQLite
import StoreRequests

/// A part of the import's changes, written together.
struct ImportPart {
  var changes = ChangeSet()
  /// The keys and lines of the insertions.
  var keys: [Int64] = []
  var lines: [Int] = []
  /// Objects that were recorded as changed without a column to write.
  var touched: Set<Touch> = []
  /// Foreign keys that lines of this part set in existing rows from the other side of a relationship; `nil` for `NULL`. The store
  /// does not have them yet.
  var foreignKeys: [KeyPlace: Int64?] = [:]

  struct Touch: Hashable {
    let object: ObjectKey
    let property: String
  }

  /// A foreign key's column in a row.
  struct KeyPlace: Hashable {
    let table: Identifier
    let column: Identifier
    let key: Int64
  }

  var isFull: Bool { changes.insertions.count + changes.updates.count + changes.relationshipChanges.count >= 500 }

  /// Corrects the rows that have a value in a foreign key's column of the store by those that this part gives it, or takes it from.
  func corrected(_ rows: [Int64], with value: Int64, in column: Identifier, of table: Identifier) -> [Int64] {
    guard !foreignKeys.isEmpty else { return rows }
    let gained = foreignKeys.filter { $0.key.column == column && $0.key.table == table && $0.value == value }
    let kept = rows.filter { foreignKeys[KeyPlace(table: table, column: column, key: $0)] == nil }
    return kept + gained.map(\.key.key).sorted()
  }
}

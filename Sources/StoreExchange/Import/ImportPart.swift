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

  /// The foreign key of a relationship in a row; see ``StoreRelationship/keyProperty``.
  struct KeyPlace: Hashable {
    let relationship: ColumnSelection
    let key: Int64
  }

  var isFull: Bool { changes.insertions.count + changes.updates.count + changes.relationshipChanges.count >= 500 }

  /// The rows in which a relationship has a foreign key after this part is written.
  ///
  /// - Parameter rows: the rows that have the key in the store.
  func corrected(_ rows: [Int64], with value: Int64, of relationship: ColumnSelection) -> [Int64] {
    guard !foreignKeys.isEmpty else { return rows }
    let gained = foreignKeys.filter { $0.key.relationship == relationship && $0.value == value }
    let kept = rows.filter { foreignKeys[KeyPlace(relationship: relationship, key: $0)] == nil }
    return kept + gained.map(\.key.key).sorted()
  }
}

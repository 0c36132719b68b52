import SQLite

/// Statements of a save other than writes of a row's values.
///
/// The comments list the placeholders in their order, and the result columns after an arrow.
enum SaveStatement {
  /// Key.
  static func delete(_ entity: EntityLayout) -> String { "DELETE FROM \(entity.table) WHERE Z_PK = ?1" }

  /// Key → version.
  static func version(_ entity: EntityLayout) -> String { "SELECT Z_OPT FROM \(entity.table) WHERE Z_PK = ?1" }

  /// Key → entity, version.
  static func entityAndVersion(_ table: Identifier) -> String { "SELECT Z_ENT, Z_OPT FROM \(table) WHERE Z_PK = ?1" }

  /// Key.
  static func bumpVersion(_ table: Identifier) -> String { "UPDATE \(table) SET Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1" }

  /// Key → the columns' values.
  static func read(_ columns: [Identifier], of entity: EntityLayout) -> String {
    "SELECT \(columns.map(\.description).joined(separator: ", ")) FROM \(entity.table) WHERE Z_PK = ?1"
  }

  /// Key. Sets the columns to `NULL`, and keeps the version.
  static func clear(_ columns: [Identifier], of entity: EntityLayout) -> String {
    "UPDATE \(entity.table) SET \(columns.map { "\($0) = NULL" }.joined(separator: ", ")) WHERE Z_PK = ?1"
  }

  /// Key. Clears the columns as ``clear(_:of:)`` does, except that a foreign key is negated: a negated key clashes with
  /// no other key, and its destination is still known.
  static func free(_ columns: [Identifier], of entity: EntityLayout) -> String {
    let keys = entity.properties.compactMap { property -> Identifier? in
      if case .toOne(let relationship) = property { relationship.key } else { nil }
    }
    let values = columns.map {
      keys.contains($0) ? "\($0) = CASE WHEN \($0) > 0 THEN -\($0) ELSE \($0) END" : "\($0) = NULL"
    }
    return "UPDATE \(entity.table) SET \(values.joined(separator: ", ")) WHERE Z_PK = ?1"
  }

  /// → `Z_MAX` of an entity's row in `Z_PRIMARYKEY`, and the largest key in use, which may exceed it in a damaged
  /// store.
  static func maximumKeys(of table: Identifier, number: Int) -> String {
    "SELECT Z_MAX, (SELECT max(Z_PK) FROM \(table)) FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)"
  }

  /// → the largest key in use.
  static func maximumKey(of table: Identifier) -> String { "SELECT max(Z_PK) FROM \(table)" }

  /// New maximum, number.
  static let setMaximumKey = "UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2"

  /// Number, name, maximum.
  static let insertMaximumKey = "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?1, ?2, 0, ?3)"

  /// A column of a uniqueness constraint, and the placeholder of the value to compare; `nil` for the stored value.
  struct UniqueColumn {
    let name: Identifier
    let placeholder: Int?
  }

  /// Binds the values of a uniqueness constraint, in their widths. Selects key, entity and version of the row with these
  /// values, or `NULL` without such a row; then the values as the store will hold them, to compare the rows of one save.
  static func rowOfUniqueValues(_ entity: EntityLayout, _ columns: [UniqueColumn], width: Int) -> String {
    let placeholders = columns.compactMap(\.placeholder)
    let given = placeholders.map { "?\($0) AS v\($0)" }.joined(separator: ", ")
    let equal = columns.compactMap { column in column.placeholder.map { "t.\(column.name) = v\($0)" } }
      .joined(separator: " AND ")
    let values = placeholders.map { "v\($0)" }.joined(separator: ", ")
    // The second value of a relationship also has a placeholder, but is not compared: keys are unique in a table.
    return
      "SELECT t.Z_PK, t.Z_ENT, t.Z_OPT, \(values) FROM (SELECT \(given), ?\(width)) LEFT JOIN \(entity.table) t ON \(equal)"
  }

  /// The changed values of a uniqueness constraint, in their widths; key → version, and all values after the change.
  static func uniqueValuesOfRow(_ entity: EntityLayout, _ columns: [UniqueColumn], width: Int) -> String {
    let values = columns.map { column in column.placeholder.map { "?\($0)" } ?? "\(column.name)" }
    return "SELECT Z_OPT, \(values.joined(separator: ", ")) FROM \(entity.table) WHERE Z_PK = ?\(width + 1)"
  }

  // MARK: Join tables

  /// Own key, other key, own order, inverse order.
  static func insertPair(_ side: ToManyLayout.JoinSide) -> String {
    var columns = [side.ownColumn, side.otherColumn]
    var values = ["?1", "?2"]
    if let order = side.orderColumn {
      columns.append(order)
      values.append("?3")
    }
    if let order = side.inverseOrderColumn {
      columns.append(order)
      values.append("?4")
    }
    return "INSERT OR IGNORE INTO \(side.table) (\(columns.map(\.description).joined(separator: ", ")))"
      + " VALUES (\(values.joined(separator: ", ")))"
  }

  /// Own key, other key → a row if there is no such pair.
  static func missingPair(_ side: ToManyLayout.JoinSide) -> String {
    "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM \(side.table) WHERE \(side.ownColumn) = ?1 AND \(side.otherColumn) = ?2)"
  }

  /// Own key, other key.
  static func deletePair(_ side: ToManyLayout.JoinSide) -> RowChange {
    .delete(from: side.table, where: "\(side.ownColumn) = ?1 AND \(side.otherColumn) = ?2")
  }

  /// Key of a deleted row.
  static func deletePairs(_ side: ToManyLayout.JoinSide) -> [RowChange] {
    let columns = side.isReflexive ? [side.ownColumn, side.otherColumn] : [side.ownColumn]
    return columns.map { .delete(from: side.table, where: "\($0) = ?1") }
  }

  // MARK: Keys without an inverse (CD-3.2)

  /// Owner's key, key of the row.
  static func setVirtualKey(_ side: ToManyLayout.KeySide) -> String {
    let order = side.orderColumn.map { ", \($0) = CASE WHEN \(side.key) IS ?1 THEN \($0) END" } ?? ""
    return "UPDATE \(side.table) SET \(side.key) = ?1\(order) WHERE Z_PK = ?2"
  }

  /// Owner's key, key of the row → a row if the row has another owner.
  static func unsetVirtualKey(_ side: ToManyLayout.KeySide) -> String {
    "SELECT 1 FROM \(side.table) WHERE Z_PK = ?2 AND \(side.key) IS NOT ?1"
  }

  /// Owner's key, key of the row.
  static func clearVirtualKey(_ side: ToManyLayout.KeySide) -> RowChange {
    .update(side.table, set: side.clearing, where: "\(side.key) = ?1 AND Z_PK = ?2")
  }

  /// Key of a deleted owner.
  static func clearVirtualKeys(_ side: ToManyLayout.KeySide) -> RowChange {
    .update(side.table, set: side.clearing, where: "\(side.key) = ?1")
  }

  // MARK: Order (CD-3.4)

  /// The place of an ordered relationship: rows of `table` whose `owner` column has the owner's key, identified by
  /// `member`.
  struct OrderedRows: Hashable {
    let table: Identifier
    let owner: Identifier
    let member: Identifier
    let order: Identifier

    /// Owner's key → member and order key, in order.
    var all: String { "SELECT \(member), \(order) FROM \(table) WHERE \(owner) = ?1 ORDER BY \(order), \(member)" }
    /// Owner's key → the largest order key.
    var maximum: String { "SELECT max(\(order)) FROM \(table) WHERE \(owner) = ?1" }
    /// Order key, owner's key, member.
    var set: String { "UPDATE \(table) SET \(order) = ?1 WHERE \(owner) = ?2 AND \(member) = ?3" }
    /// Order key, owner's key, member → a row if the member has another place.
    var unset: String { "SELECT 1 FROM \(table) WHERE \(owner) = ?2 AND \(member) = ?3 AND \(order) IS NOT ?1" }
    /// First and last key → owner and member of rows with an owner but without an order key.
    var unordered: String {
      "SELECT \(owner), \(member) FROM \(table) WHERE \(member) BETWEEN ?1 AND ?2 AND \(owner) IS NOT NULL"
        + " AND \(order) IS NULL ORDER BY \(owner), \(member)"
    }
  }
}

extension ToManyLayout.KeySide {
  /// Assigns `NULL` to the key and its place in the order.
  var clearing: String {
    ([key] + [orderColumn].compactMap(\.self)).map { "\($0) = NULL" }.joined(separator: ", ")
  }
}

import ManagedModel
import SQLite
import StoreRequests

/// The temporary tables of one hierarchy for the batch changes of a save: keys of deleted rows, and of updated rows.
///
/// `ORDINAL` numbers the rows as they arrive, so that a step of a cascade reads only the keys that the step before it added.
struct BatchTable: Hashable {
  let table: Identifier
  let rootNumber: Int

  init(_ entity: EntityLayout) {
    table = entity.table
    rootNumber = entity.rootNumber
  }

  var deleted: String { "temp.OSD_DELETED_\(rootNumber)" }
  var updated: String { "temp.OSD_UPDATED_\(rootNumber)" }
  /// The rows that one batch update selects.
  var selected: String { "temp.OSD_SELECTED_\(rootNumber)" }

  /// Unites two bitmaps of changed columns.
  static let uniteBits = "OSD_UNITE_BITS"

  var definitions: String {
    """
    CREATE TABLE IF NOT EXISTS \(deleted) (ORDINAL INTEGER PRIMARY KEY, Z_PK INTEGER UNIQUE, Z_ENT INTEGER);
    CREATE TABLE IF NOT EXISTS \(updated) (ORDINAL INTEGER PRIMARY KEY, Z_PK INTEGER UNIQUE, Z_ENT INTEGER, COLUMNS BLOB);
    CREATE TABLE IF NOT EXISTS \(selected) (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER);
    """
  }

  var clearing: String { "DELETE FROM \(deleted); DELETE FROM \(updated); DELETE FROM \(selected)" }

  /// → The last ordinal of a temporary table, or 0.
  static func lastOrdinal(_ table: String) -> String { "SELECT ifnull(max(ORDINAL), 0) FROM \(table)" }

  /// → Entity and key of all rows of a temporary table, in the order of their arrival.
  static func rows(_ table: String) -> String { "SELECT Z_ENT, Z_PK FROM \(table) ORDER BY ORDINAL" }

  /// First ordinal (exclusive), last ordinal (inclusive): the keys of deleted rows of an entity and its subentities.
  func deletedKeys(of entity: EntityLayout) -> String { "SELECT d.Z_PK FROM \(deleted) d WHERE \(range(of: entity))" }

  /// First ordinal (exclusive), last ordinal (inclusive): a test of deleted rows `d`.
  func range(of entity: EntityLayout) -> String {
    "d.ORDINAL > ?1 AND d.ORDINAL <= ?2"
      + (entity.superentityName == nil ? "" : " AND d.Z_ENT \(SQLText.numbersTest(entity.kindNumbers))")
  }

  /// First ordinal (exclusive), last ordinal (inclusive). Deletes the rows.
  var deleteRows: RowChange {
    .delete(
      from: table, where: "Z_PK IN (SELECT d.Z_PK FROM \(deleted) d WHERE d.ORDINAL > ?1 AND d.ORDINAL <= ?2)")
  }

  /// Forgets the updates of rows that are deleted.
  var forgetDeleted: String { "DELETE FROM \(updated) WHERE Z_PK IN (SELECT Z_PK FROM \(deleted))" }

  /// First ordinal (exclusive). Adds one to the versions of updated rows, and writes `assignments` into them.
  func bumpVersions(_ assignments: String, of numbers: [Int]?) -> String {
    "UPDATE \(table) SET Z_OPT = Z_OPT + 1\(assignments) WHERE \(updatedTest(of: numbers))"
  }

  /// First ordinal (exclusive) → the number of updated rows of some entities.
  func updatedRows(of numbers: [Int]?) -> String { "SELECT count(*) FROM \(table) WHERE \(updatedTest(of: numbers))" }

  private func updatedTest(of numbers: [Int]?) -> String {
    "Z_PK IN (SELECT Z_PK FROM \(updated) WHERE ORDINAL > ?1)"
      + (numbers.map { " AND Z_ENT \(SQLText.numbersTest($0))" } ?? "")
  }

  /// → The number of rows that the last batch update selected.
  var selectedRows: String { "SELECT count(*) FROM \(table) WHERE Z_PK IN (SELECT Z_PK FROM \(selected))" }

  /// → Whether an updated row has a version that cannot grow.
  var worstVersion: String {
    "SELECT 1 FROM \(table) WHERE Z_OPT >= \(Int64.max - 1) AND Z_PK IN (SELECT Z_PK FROM \(updated)) LIMIT 1"
  }

  /// Key → a row if a batch change has updated the row of the key.
  var isUpdated: String { "SELECT 1 FROM \(updated) WHERE Z_PK = ?1" }

  // MARK: History

  /// Key, bitmap. Adds the bits to the bitmap of an updated row.
  var addBits: String { "UPDATE \(updated) SET COLUMNS = \(Self.uniteBits)(COLUMNS, ?2) WHERE Z_PK = ?1" }

  /// → The number of deleted rows of some entities.
  func deletedCount(of numbers: [Int]) -> String {
    "SELECT count(*) FROM \(deleted) WHERE Z_ENT \(SQLText.numbersTest(numbers))"
  }

  /// → The number of updated rows.
  var updatedCount: String { "SELECT count(*) FROM \(updated)" }
}

/// The rows at the other end of a relationship of deleted rows.
struct BatchMembers {
  let relationship: RelationshipDescription
  /// The entity that declares the relationship.
  let owner: EntityLayout
  let destination: EntityLayout
  let inverse: RelationshipDescription?
  private let property: PropertyLayout

  /// `nil` for an attribute.
  init?(_ property: PropertyLayout, of owner: EntityLayout, in layout: StoreLayout) throws {
    self.property = property
    self.owner = owner
    switch property {
    case .attribute: return nil
    case .toOne(let relationship):
      self.relationship = relationship.description
      inverse = relationship.inverse?.description
      destination = try layout.destination(of: relationship)
    case .toMany(let relationship):
      self.relationship = relationship.description
      inverse = relationship.inverse?.description
      destination = try layout.destination(of: relationship)
    }
  }

  var ownerTable: BatchTable { BatchTable(owner) }
  var destinationTable: BatchTable { BatchTable(destination) }

  private var kindFilter: String {
    destination.superentityName == nil ? "" : " AND m.Z_ENT \(SQLText.numbersTest(destination.kindNumbers))"
  }

  /// First ordinal (exclusive), last ordinal (inclusive): a test of members `m` of the deleted rows.
  private var test: String {
    let keys: String
    switch property {
    case .attribute: return "0"
    case .toOne(let relationship):
      let row = QueryPrinter.Row(alias: "o", entity: owner)
      keys =
        "m.Z_PK IN (SELECT \(row.key(of: relationship)) FROM \(ownerTable.deleted) d "
        + "CROSS JOIN \(owner.table) o ON o.Z_PK = d.Z_PK WHERE \(ownerTable.range(of: owner)))"
    case .toMany(let relationship):
      switch relationship.storage {
      case .key(let side): keys = "m.\(side.key) IN (\(ownerTable.deletedKeys(of: owner)))"
      case .joinTable(let side):
        keys =
          "m.Z_PK IN (SELECT j.\(side.otherColumn) FROM \(ownerTable.deleted) d "
          + "CROSS JOIN \(side.table) j ON j.\(side.ownColumn) = d.Z_PK WHERE \(ownerTable.range(of: owner)))"
      }
    }
    return keys + kindFilter
  }

  /// First ordinal (exclusive), last ordinal (inclusive). Adds the members to the deleted rows.
  var cascade: String {
    "INSERT OR IGNORE INTO \(destinationTable.deleted) (Z_PK, Z_ENT) "
      + "SELECT m.Z_PK, m.Z_ENT FROM \(destination.table) m WHERE \(test)"
  }

  private var survives: String { "NOT EXISTS (SELECT 1 FROM \(destinationTable.deleted) x WHERE x.Z_PK = m.Z_PK)" }

  /// First ordinal (exclusive), last ordinal (inclusive) → a row if a member is not deleted.
  var survivor: String { "SELECT 1 FROM \(destination.table) m WHERE \(test) AND \(survives) LIMIT 1" }

  /// A test of members `m` whose inverse leads to a deleted row, and which are not deleted themselves.
  private func released(_ inverse: ToOneLayout?) -> String {
    guard case .toOne(let relationship) = property, let inverse else { return "\(test) AND \(survives)" }
    // Each side of a one-to-one relationship must lead to the other: a damaged store may have a third object.
    let row = QueryPrinter.Row(alias: "o", entity: owner)
    let other = QueryPrinter.Row(alias: "n", entity: destination)
    return "m.Z_PK IN (SELECT n.Z_PK FROM \(ownerTable.deleted) d CROSS JOIN \(owner.table) o ON o.Z_PK = d.Z_PK "
      + "CROSS JOIN \(destination.table) n ON n.Z_PK = \(row.key(of: relationship)) "
      + "WHERE \(ownerTable.range(of: owner)) AND \(other.key(of: inverse)) = o.Z_PK)\(kindFilter) AND \(survives)"
  }

  /// First ordinal (exclusive), last ordinal (inclusive) → a row if a member must give up a deleted row.
  func releasedMember(_ inverse: ToOneLayout?) -> String {
    "SELECT 1 FROM \(destination.table) m WHERE \(released(inverse)) LIMIT 1"
  }

  /// First ordinal (exclusive), last ordinal (inclusive). Adds the members that give up a deleted row to the updated rows.
  ///
  /// - Parameter bits: the bitmap of the change, for members `m`.
  func release(_ inverse: ToOneLayout?, bits: String) -> String {
    "INSERT INTO \(destinationTable.updated) (Z_PK, Z_ENT, COLUMNS) "
      + "SELECT m.Z_PK, m.Z_ENT, \(bits) FROM \(destination.table) m WHERE \(released(inverse)) "
      + "ON CONFLICT (Z_PK) DO UPDATE SET COLUMNS = \(BatchTable.uniteBits)(COLUMNS, excluded.COLUMNS)"
  }

  /// First ordinal (exclusive), last ordinal (inclusive). Clears the members' keys, see ``release(_:bits:)``.
  func clearKeys(_ inverse: ToOneLayout) -> RowChange {
    let columns = [inverse.key, inverse.entityColumn, inverse.orderColumn].compactMap(\.self)
    let condition: String
    if case .toOne = property {
      condition = released(inverse)
    } else {
      // The deleted members are gone.
      condition = test
    }
    return .update(
      destination.table, as: "m", set: columns.map { "\($0) = NULL" }.joined(separator: ", "), where: condition)
  }

  /// First ordinal (exclusive), last ordinal (inclusive). Deletes pairs of deleted rows, or clears keys without a property.
  var cleanUp: [RowChange] {
    guard case .toMany(let relationship) = property else { return [] }
    let keys = ownerTable.deletedKeys(of: owner)
    switch relationship.storage {
    case .joinTable(let side):
      let columns = side.isReflexive ? [side.ownColumn, side.otherColumn] : [side.ownColumn]
      return columns.map { .delete(from: side.table, where: "\($0) IN (\(keys))") }
    case .key(let side) where side.isVirtual:
      return [.update(side.table, set: side.clearing, where: "\(side.key) IN (\(keys))")]
    case .key: return []
    }
  }
}

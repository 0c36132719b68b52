/// A temporary table for the tombstones of rows that batch changes delete, until the end of the save (CD-7).
///
/// Each table has the tombstones of entities that preserve the same number of values.
struct TombstoneTable: Hashable {
  let valueCount: Int

  private var name: String { "temp.OSD_TOMBSTONES_\(valueCount)" }

  private func values(_ prefix: String) -> String { (0..<valueCount).map { ", \(prefix)\($0)" }.joined() }

  var definition: String {
    "CREATE TABLE IF NOT EXISTS \(name) (ORDINAL INTEGER PRIMARY KEY, Z_ENT, Z_PK\(values("V")))"
  }

  var clearing: String { "DELETE FROM \(name)" }

  /// → The number of tombstones.
  var count: String { "SELECT count(*) FROM \(name)" }

  /// First ordinal (exclusive), last ordinal (inclusive). Adds the tombstones of an entity's deleted rows, by key.
  func insertion(of entity: EntityLayout, in layout: StoreLayout, deletedIn table: BatchTable) -> String {
    let row = QueryPrinter.Row(alias: "t", entity: entity)
    let read = entity.tombstoneAttributes.map { TombstoneElements.value(of: $0, row, in: layout) }
    return "INSERT INTO \(name) (Z_ENT, Z_PK\(values("V"))) SELECT t.Z_ENT, t.Z_PK, \(read.joined(separator: ", ")) "
      + "FROM \(table.deleted) d CROSS JOIN \(entity.table) t ON t.Z_PK = d.Z_PK "
      + "WHERE d.ORDINAL > ?1 AND d.ORDINAL <= ?2 AND d.Z_ENT = \(entity.number) ORDER BY t.Z_PK"
  }

  /// First key of the changes, transaction. Records the deletions.
  var changes: String {
    "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID\(values("ZTOMBSTONE"))) "
      + "SELECT ?1 + ORDINAL - 1, \(HistoryTables.changeNumber), 2, Z_ENT, Z_PK, ?2\(values("V")) FROM \(name)"
  }
}

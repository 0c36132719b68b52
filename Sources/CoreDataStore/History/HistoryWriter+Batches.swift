import SQLite
import StoreRequests

extension HistoryWriter {
  /// Notes the deletion of an entity's rows, without its subentities, with the values of their tombstones.
  ///
  /// The caller calls this before it deletes the rows. Deletions without tombstones need no note.
  mutating func willDelete(from table: BatchTable, _ first: Int64, _ last: Int64, of entity: EntityLayout) throws {
    guard isRecording else { return }
    let statement = try connection.statement(HistoryStatement.tombstones(of: entity, in: layout, deletedIn: table))
    defer { statement.reset() }
    try statement.bind(first, at: 1)
    try statement.bind(last, at: 2)
    while try statement.step() {
      var reader = RowReader(statement, startingAt: 1)
      let object = ObjectKey(entity: Int32(entity.number), key: statement.integer(0))
      deletions.append((object, entity.tombstoneAttributes.map { _ in reader.value() }))
    }
  }

  /// Records the updates, or the deletions without tombstones, of batch changes. Cost: one statement for each table.
  mutating func recordBatches(_ tables: [BatchTable], updates: Bool, keys: inout KeyAllocator) throws {
    guard isRecording else { return }
    for table in tables {
      let numbers = layout.entities.filter { $0.table == table.table && $0.tombstoneAttributes.isEmpty }.map(\.number)
      let count = try connection.integer(updates ? table.updatedCount : table.deletedCount(of: numbers)) ?? 0
      guard count > 0 else { continue }
      let transaction = try begin(&keys)
      let first = try changeKeys(Int(count), &keys).lowerBound
      // Without gaps, the ordinals number the changes; a window function would take as long as the insertion itself.
      let last = try connection.integer(BatchTable.lastOrdinal(updates ? table.updated : table.deleted))
      let sql =
        updates
        ? HistoryStatement.updates(in: table, hasGaps: last != count)
        : HistoryStatement.deletions(in: table, of: numbers, hasGaps: last != count)
      let statement = try connection.statement(sql)
      try statement.bind(first, at: 1)
      try statement.bind(transaction, at: 2)
      try statement.run()
    }
  }
}

extension HistoryStatement {
  private static let change = "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID"

  private static func key(hasGaps: Bool) -> String {
    hasGaps ? "?1 + row_number() OVER (ORDER BY ORDINAL) - 1" : "?1 + ORDINAL - 1"
  }

  /// First ordinal (exclusive), last ordinal (inclusive) → key and tombstones of an entity's deleted rows, by key.
  static func tombstones(of entity: EntityLayout, in layout: StoreLayout, deletedIn table: BatchTable) -> String {
    let row = QueryPrinter.Row(alias: "t", entity: entity)
    let values = entity.tombstoneAttributes.map { attribute in
      attribute.column.map { SQLText.reading($0, of: row, in: layout) } ?? "NULL"
    }
    return "SELECT t.Z_PK, \(values.joined(separator: ", ")) FROM \(table.deleted) d CROSS JOIN \(entity.table) t "
      + "ON t.Z_PK = d.Z_PK WHERE d.ORDINAL > ?1 AND d.ORDINAL <= ?2 AND d.Z_ENT = \(entity.number) ORDER BY t.Z_PK"
  }

  /// First key of the changes, transaction.
  static func updates(in table: BatchTable, hasGaps: Bool) -> String {
    "\(change), ZCOLUMNS) SELECT \(key(hasGaps: hasGaps)), \(HistoryTables.changeNumber), 1, Z_ENT, Z_PK, ?2, COLUMNS FROM \(table.updated)"
  }

  /// First key of the changes, transaction.
  static func deletions(in table: BatchTable, of numbers: [Int], hasGaps: Bool) -> String {
    "\(change)) SELECT \(key(hasGaps: hasGaps)), \(HistoryTables.changeNumber), 2, Z_ENT, Z_PK, ?2 FROM \(table.deleted) "
      + "WHERE Z_ENT \(SQLText.numbersTest(numbers))"
  }
}

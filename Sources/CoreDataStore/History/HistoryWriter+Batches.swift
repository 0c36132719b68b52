import SQLite

extension HistoryWriter {
  /// Keeps the deletion of an entity's rows, without its subentities, with the values of their tombstones.
  ///
  /// The caller calls this before it deletes the rows. Deletions without tombstones need no note.
  mutating func willDelete(from table: BatchTable, _ first: Int64, _ last: Int64, of entity: EntityLayout) throws {
    guard isRecording else { return }
    let tombstones = TombstoneTable(valueCount: entity.tombstoneAttributes.count)
    if !tombstoneTables.contains(tombstones) {
      try connection.execute(tombstones.definition)
      tombstoneTables.append(tombstones)
    }
    let statement = try connection.statement(tombstones.insertion(of: entity, in: layout, deletedIn: table))
    try statement.bind(first, at: 1)
    try statement.bind(last, at: 2)
    try statement.run()
  }

  /// Records the deletions with tombstones that batch changes have made. Cost: a few statements.
  mutating func recordTombstones(keys: inout KeyAllocator) throws {
    for table in tombstoneTables {
      let count = try connection.integer(table.count) ?? 0
      guard count > 0 else { continue }
      let transaction = try begin(&keys)
      try makeRoom(forTombstones: table.valueCount)
      let statement = try connection.statement(table.changes)
      try statement.bind(changeKeys(Int(count), &keys).lowerBound, at: 1)
      try statement.bind(transaction, at: 2)
      try statement.run()
      try connection.requireWritten(Int(count), to: HistoryTables.change)
      try connection.execute(table.clearing)
    }
    tombstoneTables = []
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
      try connection.requireWritten(Int(count), to: HistoryTables.change)
    }
  }
}

extension HistoryStatement {
  private static let change = "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID"

  private static func key(hasGaps: Bool) -> String {
    hasGaps ? "?1 + row_number() OVER (ORDER BY ORDINAL) - 1" : "?1 + ORDINAL - 1"
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

import SQLite

extension PersistentStore {
  /// The names of all entities in `Z_PRIMARYKEY` by number, also of those that the model lacks. Cost: one query.
  ///
  /// - Throws: `SQLiteError`, or ``StoreError`` if the store is closed.
  package func entityNames() throws -> [Int32: String] {
    let lease = try lease()
    let rows = try withExtendedLifetime(lease) { try PrimaryKeys(lease.connection).rows }
    let named = rows.filter { !$0.name.isEmpty }
    return Dictionary(named.map { (Int32(clamping: $0.number), $0.name) }, uniquingKeysWith: { _, last in last })
  }
}

extension StoreTransaction {
  /// The number of rows of entities that the model lacks, in the tables that several entities share. Cost: a pass over
  /// each of these tables.
  ///
  /// - Throws: `SQLiteError`
  package func countForeignRows() throws -> Int {
    let roots = layout.entities.filter { $0.superentityName == nil && $0.hasSubentities }
    return try roots.reduce(0) { sum, root in
      let count = try connection.integer(
        "SELECT count(*) FROM main.\(root.table) t WHERE (\(layout.kindTest(root, alias: "t"))) IS NOT TRUE")
      return sum + Int(count ?? 0)
    }
  }
}

import SQLite

extension PersistentStore {
  /// Lets triggers write to R*Trees and to search indexes, if the schema has some and all its SQL texts are harmless.
  ///
  /// The texts of a search index count as harmless if they are exactly the texts that this library writes.
  ///
  /// - Returns: the name of the first definition that calls a function which may be harmful. Triggers that write to virtual
  ///   tables then fail.
  @discardableResult
  func decideTrust(of connection: Connection, _ definitions: [Catalogue.Definition]) throws -> String? {
    // No other program has written the schema of a store in memory.
    guard url != nil else { return nil }
    let own = Set(layout.searchTables(in: definitions).flatMap(\.definitions))
    let others = own.isEmpty ? definitions : definitions.filter { !own.contains($0.sql ?? "") }
    guard layout.hasLocationIndexes || !own.isEmpty else {
      try connection.trustSchema(false)
      return nil
    }
    let harmful = others.first { !SchemaTrust.isHarmless([$0]) }?.name
    try connection.trustSchema(harmful == nil)
    return harmful
  }
}

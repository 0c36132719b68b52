package import ManagedModel
package import PostgreSQL

/// The models that a store's schema records: one for each version that the store has had.
package struct StoredModels: Sendable {
  /// The oldest version first.
  package let models: [ModelDescription]
  package let naming: NamingRule

  /// Reads the models of a schema's store; `nil` if the schema has no store. Cost: six queries.
  ///
  /// - Throws: ``StoreProblem`` for a store of another layout, or with a model that cannot be read; ``PostgreSQLError``.
  package static func read(_ connection: Connection, schema: String) throws -> StoredModels? {
    var options = ServerOptions()
    options.schema = schema
    try options.check(connection.address)
    let found = StoreRecords(connection: connection, options: options)
    for table in [StoreDefinitions.store, StoreDefinitions.storeVersions, StoreDefinitions.storeEntities] {
      guard try found.exists(table) else { return nil }
    }
    // Each store records its rule, and a reader of its models needs no other.
    let rows = try connection.run("SELECT naming::text FROM \(Identifier(schema)).\(StoreDefinitions.store)")
    options.naming = rows.rowCount == 1 ? rows.text(0, 0).flatMap(NamingRule.init) ?? .snakeCase : .snakeCase
    let records = StoreRecords(connection: connection, options: options)
    guard try records.read() != nil else { return nil }
    return StoredModels(models: try records.models(), naming: options.naming)
  }
}

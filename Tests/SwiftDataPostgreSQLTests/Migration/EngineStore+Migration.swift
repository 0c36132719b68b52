import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

extension EngineStore {
  var options: ServerOptions {
    var options = ServerOptions()
    options.schema = schema
    return options
  }

  /// Migrates the store to another model. The open store is of no use afterwards.
  func migrate(to entities: [EntityDescription]) throws {
    let model = ModelDescription(entities: entities)
    try ServerMigrator(try #require(TestServer.shared).address, options: options).migrate(to: model)
    _ = try reopened(entities)
  }

  /// The reason why the store is not migrated; `nil` if it is.
  func obstacle(to entities: [EntityDescription]) throws -> MigrationObstacle? {
    do { try migrate(to: entities) } catch let error as MigrationError { return error.obstacle }
    return nil
  }

  /// The store, opened anew with a model.
  func reopened(_ entities: [EntityDescription]) throws -> ServerStore {
    try ServerStore.open(
      try #require(TestServer.shared).address, options: options, model: ModelDescription(entities: entities))
  }

  /// Runs a statement in which `$` stands for the schema.
  func execute(_ sql: String) throws {
    try connect().execute(sql.replacing("$", with: "\(Identifier(schema))."))
  }

  /// The first column of a query in which `$` stands for the schema, as text.
  func column(_ sql: String) throws -> [String] {
    try connect().column(sql.replacing("$", with: "\(Identifier(schema))."))
  }
}

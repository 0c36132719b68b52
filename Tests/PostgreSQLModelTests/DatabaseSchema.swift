import ManagedModel
import ModelGenerator
import PostgreSQL
import PostgreSQLModel
import PostgreSQLTestSupport
import TestSupport
import Testing

/// A schema of the tests' database, empty at first.
struct DatabaseSchema {
  let name: String
  let connection: Connection
  let address: ServerAddress

  /// - Parameter name: the schema's name, which one test uses; a fresh one by default.
  init(_ name: String? = nil) throws {
    let server = try #require(TestServer.shared)
    self.name = try name ?? TemporaryStore().databaseSchema
    connection = try server.connect()
    address = try ServerAddress(server.address)
    try connection.execute("CREATE SCHEMA \(Identifier(self.name)); SET search_path = \(Identifier(self.name))")
  }

  func model() throws -> DatabaseModel { try DatabaseModel.read(address, schema: name) }

  /// The sources of the classes, by file name.
  func sources() throws -> [String: String] { try Self.sources(model()) }

  static func sources(_ model: DatabaseModel) throws -> [String: String] {
    try sources(model.versions, name: model.name, source: model.source)
  }

  /// A single version has the name of the model, as it has in `generate-models`.
  static func sources(_ models: [ModelDescription], name: String, source: String) throws -> [String: String] {
    let versions = models.enumerated().map { index, model in
      ModelVersions.Version(name: models.count == 1 ? name : "\(index + 1)", model: model)
    }
    let output = try ModelGenerator().generate(ModelVersions(name: name, source: source, versions: versions))
    return Dictionary(uniqueKeysWithValues: output.files.map { ($0.name, $0.contents) })
  }
}

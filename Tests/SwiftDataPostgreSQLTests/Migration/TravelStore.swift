import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// The same rows in a PostgreSQL store and in a file, so that migrations can be compared.
struct TravelStore {
  let folder: TemporaryStore
  let server: TestServer

  init() throws {
    folder = try TemporaryStore()
    server = try #require(TestServer.shared)
  }

  var schema: String { folder.databaseSchema }

  func configuration(allowsSave: Bool = true, options: MigrationOptions = MigrationOptions()) -> PostgreSQLConfiguration
  {
    var configuration = PostgreSQLConfiguration(
      server.address, allowsSave: allowsSave, databaseSchema: schema, connectionLimit: 4, deadline: 10)
    configuration.migration = options
    return configuration
  }

  func open(
    _ version: any VersionedSchema.Type, plan: (any SchemaMigrationPlan.Type)? = nil,
    options: MigrationOptions = MigrationOptions()
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [configuration(options: options)])
  }

  func openFile(_ version: any VersionedSchema.Type, plan: (any SchemaMigrationPlan.Type)? = nil) throws
    -> ModelContainer
  {
    try ModelContainer(
      for: Schema(versionedSchema: version), migrationPlan: plan,
      configurations: [ModelConfiguration(url: folder.url)])
  }

  /// Twenty trips with stops, tags and leaders; the last has the name of another.
  static func fill(_ context: ModelContext) throws {
    let people = (0..<5).map { TravelV1.Person("Person \($0)") }
    let tags = (0..<4).map { TravelV1.Tag("tag \($0)") }
    for model in people { context.insert(model) }
    for model in tags { context.insert(model) }
    for index in 0..<20 {
      let trip = TravelV1.Trip(
        index == 19 ? "Trip 3" : "Trip \(index)", start: Date(timeIntervalSinceReferenceDate: Double(index) * 1000.5),
        rating: index % 4 == 0 ? nil : index, nights: index)
      context.insert(trip)
      if index % 3 != 0 { trip.leader = people[index % 5] }
      trip.stops = (0..<(index % 4)).map { TravelV1.Stop("\(index).\($0)") }
      trip.tags = tags.enumerated().filter { index % ($0.offset + 2) == 0 }.map(\.element)
    }
    try context.save()
  }

  func column(_ sql: String) throws -> [String] { try server.connect().column(sql) }

  /// All definitions and rows of the schema, to see whether anything has changed.
  func dump() throws -> [String] {
    let connection = try server.connect()
    let tables = try connection.run(
      "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r' ORDER BY 1",
      [.text(schema)])
    var lines: [String] = []
    for row in 0..<tables.rowCount {
      let name = tables.text(row, 0) ?? ""
      let rows = try connection.run("SELECT to_jsonb(t)::text FROM \(schema).\"\(name)\" t ORDER BY 1")
      lines += (0..<rows.rowCount).map { "\(name): \(rows.text($0, 0) ?? "")" }
    }
    return lines
  }
}

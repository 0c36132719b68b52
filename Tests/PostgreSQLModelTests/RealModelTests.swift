import CoreDataModel
import Foundation
import ManagedModel
import ModelArchive
import PostgreSQL
import PostgreSQLModel
import PostgreSQLStore
import PostgreSQLTestSupport
import TestSupport
import Testing

@Suite(
  "Real models in a PostgreSQL database", TestServer.condition,
  .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
struct RealModelTests {
  @Test("Their stores become the classes of the models; without the store's record, the tables still become classes")
  func roundTrip() throws {
    var kept = 0
    for (number, url) in try Self.bundles().enumerated() where FullTests.areWanted || number.isMultiple(of: 6) {
      // The stores are of the last versions; reading all of WooCommerce's would take longer than the rest.
      let read = try? ModelBundle.read(at: url) { names, _ in Array(names.indices.suffix(1)) }
      guard let bundle = read, !bundle.hasErrors, let model = bundle.versions.last?.model else { continue }
      let schema = try DatabaseSchema()
      var options = ServerOptions()
      options.schema = schema.name
      do { _ = try ServerStore.open(schema.address.text, options: options, model: model) } catch {
        #expect("\(error)".contains("has no type"), "\(url.path): \(error)")
        continue
      }
      kept += 1
      let found = try schema.model()
      #expect(found.versions.count == 1 && found.isStore)
      #expect(try VersionHashes(found.versions[0]) == VersionHashes(model), "\(url.path)")
      // An archive sorts entities and properties by their names, and names no composite types.
      let archived = try ModelArchive.decode(ModelArchive.encode(model))
      let expected = try DatabaseSchema.sources([archived], name: schema.name, source: found.source)
      #expect(try DatabaseSchema.sources(found) == expected, "\(url.path)")

      try schema.connection.execute("DROP TABLE _store, _store_versions, _store_entities")
      let tables = try schema.model()
      #expect(!tables.isStore)
      #expect(tables.versions[0].validate().filter { $0.severity == .error }.isEmpty, "\(url.path)")
      #expect(try DatabaseSchema.sources(tables).count == 3)
      try schema.connection.execute("DROP SCHEMA \(Identifier(schema.name)) CASCADE")
    }
    #expect(kept >= (FullTests.areWanted ? 40 : 5))
  }

  private static func bundles() throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: Fixtures.url("models"), includingPropertiesForKeys: nil)
      .flatMap { try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil) }
      .filter { ["xcdatamodeld", "xcdatamodel"].contains($0.pathExtension) }
      .sorted { $0.path < $1.path }
  }
}

import ErrorReporting
import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLModel
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("The model of tables that another program made", TestServer.condition)
struct ForeignTablesTests {
  @Test("Tables become classes, columns properties, and keys constraints and relationships")
  func museum() throws {
    let schema = try DatabaseSchema("museum")
    let tables = Fixtures.packageRoot.appendingPathComponent("Tests/PostgreSQLModelTests/Museum.sql")
    try schema.connection.execute(String(contentsOf: tables, encoding: .utf8))
    let model = try schema.model()
    #expect(!model.isStore)
    var files = try DatabaseSchema.sources(model)
    files["Notes.txt"] = model.notes.map { "\($0.severity): \($0.fullMessage)\n" }.joined()
    try Golden.compare(files, withFolder: "PostgreSQLModelTests/Generated/Museum")
    #expect(model.versions[0].validate().filter { $0.severity == .error }.isEmpty)
    #expect(try schema.sources() == DatabaseSchema.sources(model), "equal tables give equal sources")
  }

  @Test("The classes compile, and keep objects in a schema of their own")
  func classes() throws {
    let schema = try DatabaseSchema()
    let container = try ModelContainer(
      for: Schema(versionedSchema: MuseumSchemaV1.self),
      configurations: [PostgreSQLConfiguration(schema.address.text, databaseSchema: schema.name)])
    let context = ModelContext(container)
    let artist = Artist(id: UUID(), fullName: "Rodin")
    let sculpture = Sculpture(artist: artist)
    sculpture.prices = [Decimal(1.5)]
    context.insert(sculpture)
    let exhibition = Exhibition(code: "PARIS", starts: Date(timeIntervalSinceReferenceDate: 0))
    context.insert(exhibition)
    exhibition.sculptures = [sculpture]
    context.insert(Pedestal(sculpture: sculpture, material: "oak"))
    try context.save()

    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Sculpture>()).first)
    #expect(found.title == #"It's \ untitled"#)
    #expect(found.price == Decimal(string: "19.90"))
    #expect(found.weightInTons == -1.5 && found.views == -1 && found.pieces == 1 && found.isShown)
    #expect(found.photo == Data([0, 255]))
    #expect(found.feeling == .calm && found.prices == [Decimal(1.5)] && found.details == "{}")
    #expect(found.acquiredAt == Date(timeIntervalSinceReferenceDate: 1.5))
    #expect(found.exhibitions.map(\.code) == ["PARIS"])
    #expect(found.pedestal?.material == "oak")
    #expect(found.artist.fullName == "Rodin")
    // The cascade of the foreign key.
    let owner = try #require(try other.fetch(FetchDescriptor<Artist>()).first)
    found.exhibitions = []
    try other.save()
    other.delete(owner)
    try other.save()
    #expect(try schema.connection.run("SELECT FROM sculpture").rowCount == 0)
    #expect(try schema.connection.run("SELECT FROM pedestal").rowCount == 0)
  }
}

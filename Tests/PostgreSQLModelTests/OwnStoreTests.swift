import ErrorReporting
import Foundation
import CoreDataModel
import ManagedModel
import PostgreSQL
import PostgreSQLModel
import PostgreSQLStore
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("The model of a store in a PostgreSQL database", TestServer.condition)
struct OwnStoreTests {
  static let library = Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.xcdatamodeld")

  /// Makes the store of a model in a schema.
  private func makeStore(
    _ model: ManagedModel.ModelDescription, in schema: DatabaseSchema, naming: NamingRule = .snakeCase
  ) throws {
    var options = ServerOptions()
    options.schema = schema.name
    options.naming = naming
    _ = try ServerStore.open(schema.address.text, options: options, model: model)
  }

  @Test(
    "A store's schema becomes the classes of the model that made it", arguments: [NamingRule.snakeCase, .asSpelled])
  func roundTrip(naming: NamingRule) throws {
    for version in try ModelBundle.read(at: Self.library).versions {
      let schema = try DatabaseSchema()
      let model = version.model
      try makeStore(model, in: schema, naming: naming)
      let found = try schema.model()
      #expect(found.isStore)
      #expect(found.versions.count == 1)
      // An archive keeps the meaning of a predicate, not its spelling.
      let expected = try DatabaseSchema.sources([model], name: schema.name, source: found.source).mapValues {
        $0.replacingOccurrences(of: "isAvailable == YES", with: "isAvailable == true")
      }
      #expect(try DatabaseSchema.sources(found) == expected)
      #expect(found.notes.map(\.problem).joined().contains("naming: .asSpelled") == (naming == .asSpelled))
      #expect(found.notes.map(\.problem).joined().contains("databaseSchema: “\(schema.name)”"))
    }
  }

  enum Color: String, Codable { case red, green }

  @Model final class Flag {
    var colors: [Color] = []
    var prices: [Decimal] = []
    var blobs: [Data] = []
    var ratios: [Float] = []
    init() {}
  }

  /// The same entity, as the generated source declares it.
  enum Generated {
    @Model final class Flag {
      var colors: [String] = []
      var prices: [Decimal] = []
      var blobs: [Data] = []
      var ratios: [Float] = []
      init() {}
    }
  }

  @Test("An array of an enumeration becomes an array of its raw values, whose class opens the store as it is")
  func arrays() throws {
    let schema = try DatabaseSchema("flags")
    let configuration = PostgreSQLConfiguration(schema.address.text, databaseSchema: schema.name)
    let context = ModelContext(try ModelContainer(for: Flag.self, configurations: configuration))
    let flag = Flag()
    (flag.colors, flag.prices, flag.blobs, flag.ratios) = ([.green, .red], [1.5], [Data([1])], [0.5])
    context.insert(flag)
    try context.save()
    let source = try DatabaseSchema.sources(try schema.model()).values.joined()
    for line in ["var colors: [String]", "var prices: [Decimal]", "var blobs: [Data]", "var ratios: [Float]"] {
      #expect(source.contains(line), "\(line)")
    }
    let container = try ModelContainer(for: Generated.Flag.self, configurations: configuration)
    let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Generated.Flag>()).first)
    #expect(
      read.colors == ["green", "red"] && read.prices == [1.5] && read.blobs == [Data([1])] && read.ratios == [0.5])
    let types = try schema.connection.run(
      "SELECT string_agg(DISTINCT data_type, ',') FROM information_schema.columns WHERE table_name = 'flag' AND table_schema = $1 AND column_name IN ('colors', 'prices', 'blobs', 'ratios')",
      [.text(schema.name)])
    #expect(types.text(0, 0) == "ARRAY")
    #expect(try schema.model().versions.count == 1)
  }

  /// Two versions of a class, and the plan between them.
  enum GalleryV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Painting.self] }
    @Model final class Painting {
      var title: String
      init(title: String) { self.title = title }
    }
  }

  enum GalleryV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Painting.self, Painter.self] }
    @Model final class Painting {
      @Attribute(.unique) var title: String
      var paintedOn: Date?
      var price: Decimal = 0
      var painter: Painter?
      init(title: String) { self.title = title }
    }
    @Model final class Painter {
      var name: String
      @Relationship(deleteRule: .cascade, inverse: \Painting.painter) var paintings: [Painting] = []
      init(name: String) { self.name = name }
    }
  }

  enum GalleryPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [GalleryV1.self, GalleryV2.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: GalleryV1.self, toVersion: GalleryV2.self)] }
  }

  @Test("A migrated store becomes all its versions, whose classes compile and open that store")
  func versions() throws {
    let schema = try DatabaseSchema("gallery")
    let configuration = PostgreSQLConfiguration(schema.address.text, databaseSchema: schema.name)
    let first = ModelContext(
      try ModelContainer(for: Schema(versionedSchema: GalleryV1.self), configurations: [configuration]))
    first.insert(GalleryV1.Painting(title: "Lilies"))
    try first.save()
    _ = try ModelContainer(
      for: Schema(versionedSchema: GalleryV2.self), migrationPlan: GalleryPlan.self, configurations: [configuration])

    let model = try schema.model()
    #expect(model.versions.count == 2)
    try Golden.compare(DatabaseSchema.sources(model), withFolder: "PostgreSQLModelTests/Generated/Gallery")

    let container = try ModelContainer(
      for: Schema(versionedSchema: GallerySchemaV2.self), migrationPlan: GalleryMigrationPlan.self,
      configurations: [configuration])
    let context = ModelContext(container)
    let painting = try #require(try context.fetch(FetchDescriptor<GallerySchemaV2.Painting>()).first)
    #expect(painting.title == "Lilies")
    painting.painter = GallerySchemaV2.Painter(name: "Monet")
    try context.save()
    #expect(try schema.connection.run("SELECT name FROM painter").text(0, 0) == "Monet")
    #expect(try schema.model().versions.count == 2, "the generated classes are the same model, so nothing was migrated")
  }
}

import CoreDataModel
import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import TestSupport
import Testing

@testable import SwiftData

/// The golden files of names that Swift cannot take as they are, compiled and run.
@Suite("Generated names")
struct GeneratedNamesTests {
  static var schemas: [any VersionedSchema.Type] {
    [NamesSchemaV1.self, NamesSchemaV2.self, NamesSchemaV3.self, NamesSchemaV4.self]
  }

  @Test("VH-1 … VH-8 A spelling changes no hash: entities and properties keep their stored names", arguments: 0..<4)
  func hashes(index: Int) throws {
    let expected = try Self.model(index)
    let lowered = try Schema(versionedSchema: Self.schemas[index]).lowered()
    #expect(try VersionHashes(lowered).differingEntities(from: VersionHashes(expected)) == [])
    for entity in expected.entities {
      let named = lowered.entity(named: entity.name)
      let found = try #require(named)
      #expect(Set(found.properties.map(\.name)) == Set(entity.properties.map(\.name)))
    }
  }

  @Test("CD-2 A store made from the model takes objects of all classes, each value in the column of its stored name")
  func store() throws {
    let file = try TemporaryStore()
    let model = try Self.model(2)
    try PersistentStore.open(at: file.url, model: model).close()

    let context = try Self.context(file.url)
    let objects = Self.objects
    try #require(objects.count == NamesSchemaV3.models.count)
    for object in objects {
      context.insert(object)
      Self.fill(object)
    }
    let (page, subPage) = try (Self.first(Page.self, of: objects), Self.first(Page2.self, of: objects))
    page.subPages = [subPage]
    let (table, line) = try (Self.first(XDROPTABLEZPAGE.self, of: objects), Self.first(LineItem.self, of: objects))
    table.itS = [line]
    let odd = try Self.first(Odd.self, of: objects)
    odd.composed?.setSelf = "an element"
    odd.composed?.firstName = 2.5
    try context.save()

    let again = try Self.context(file.url)
    for object in objects { try Self.expectSaved(object, in: again) }
    #expect(try again.fetch(FetchDescriptor<Page2>()).first?.pagePage?.subPages?.count == 1)
    #expect(try again.fetch(FetchDescriptor<LineItem>()).first?.those?.first?.itS?.count == 1)
    #expect(try again.fetch(FetchDescriptor<Odd>()).first?.composed?.setSelf == "an element")
    #expect(try again.fetch(FetchDescriptor<Odd>()).first?.composed?.firstName == 2.5)
    let found = try again.fetch(FetchDescriptor<LineItem>(predicate: #Predicate { $0.firstName2 == "first name" }))
    #expect(found.count == 1)

    let store = try PersistentStore.open(at: file.url, model: model)
    #expect(store.metadata.hashes == (try VersionHashes(model)))
    for entity in model.entities { try Self.expectColumns(of: entity, in: store) }
    guard Fixtures.areAvailable else { return }
    // The checker takes definitions apart without regard to quotes, so only what it says of the rest counts.
    let report = try Oracle.checkStore(file.url).output
    for fact in ["CD-1.5  SQLite integrity", "VH-1 ", "VH-13 ", "VH-14 ", "CD-2    one table", "CD-6    Z_ENT"] {
      #expect(report.contains("ok    \(fact)"), "\(report)")
    }
  }

  /// One object of each class; that they can be written down here shows that the spellings can be used. `Café` has its
  /// accent as a character of its own, as its entity has.
  private static var objects: [any PersistentModel] {
    [
      DataEntity(), SetEntity(), TaskEntity(), DateEntity(), StringEntity(), ModelEntity(), SchemaEntity(),
      OptionalEntity(), Int16Entity(), BoolEntity(), URLEntity(), NeverEntity(), ErrorEntity(), TypeEntity(),
      ProtocolEntity(), SelfEntity(), AnyEntity(), IDEntity(), AttributeEntity(), RelationshipEntity(), IndexEntity(),
      PersistentModelEntity(), SwiftDataEntity(), SwiftEntity(), CodableEntity(), HashableEntity(), KeyPathEntity(),
      _MEntity(), NamesSchemaV3Entity(), NamesMigrationPlanEntity(), NamesModels(), FetchedPropertyEntity(),
      CompositeEntity(), Models(), VersionIdentifier(),
      Class(), Init(), Entity(), 名前(), ספר(), AB(), AB2(), Entity2(), QuoteBackSlash(),
      Nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn(),
      Café(), ZeroWidth(), Page(), Page2(), Fetching(), PAGE(), XDROPTABLEZPAGE(),
      LineItem(), Keywords(), MoreKeywords(), Members(), Odd(composed: SetComposite()),
    ]
  }

  private static func model(_ index: Int) throws -> ModelDescription {
    let url = Fixtures.packageRoot.appendingPathComponent("Tests/ModelGeneratorTests/Models/Names.xcdatamodeld")
    return try ModelBundle.read(at: url).versions[index].model
  }

  private static func context(_ url: URL) throws -> ModelContext {
    let schema = Schema(versionedSchema: NamesSchemaV3.self)
    return ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(url: url)))
  }

  private static func first<Class: PersistentModel>(_: Class.Type, of objects: [any PersistentModel]) throws -> Class {
    try #require(objects.lazy.compactMap { $0 as? Class }.first { type(of: $0) == Class.self })
  }

  /// Gives every text its property's stored name as its value.
  private static func fill<Class: PersistentModel>(_ object: Class) {
    for (name, keyPath) in texts(of: Class.self) { object[keyPath: keyPath] = name }
  }

  private static func expectSaved<Class: PersistentModel>(_: Class, in context: ModelContext) throws {
    let found = try context.fetch(FetchDescriptor<Class>()).filter { type(of: $0) == Class.self }
    let object = try #require(found.first)
    #expect(found.count == 1)
    for (name, keyPath) in texts(of: Class.self) { #expect(object[keyPath: keyPath] == name) }
  }

  private static func texts<Class: PersistentModel>(
    of _: Class.Type
  ) -> [(name: String, keyPath: ReferenceWritableKeyPath<Class, String?>)] {
    Class.schemaMetadata.compactMap { property in
      (property.keyPath as? ReferenceWritableKeyPath<Class, String?>).map { keyPath in
        ((property.metadata as? Schema.Attribute)?.name ?? property.name, keyPath)
      }
    }
  }

  /// Each column of text holds the name of its property in the model.
  private static func expectColumns(of entity: ManagedModel.EntityDescription, in store: PersistentStore) throws {
    let layout = try #require(store.layout.entity(named: entity.name))
    for attribute in entity.attributes where attribute.type == .string {
      guard case .attribute(let property)? = layout.property(named: attribute.name) else {
        Issue.record("\(entity.name).\(attribute.name) has no column")
        continue
      }
      let column = try #require(property.column)
      let value = try store.read {
        try $0.text("SELECT \(column.name) FROM \(layout.table) WHERE Z_ENT = \(layout.number)")
      }
      #expect(value == attribute.name)
    }
  }
}

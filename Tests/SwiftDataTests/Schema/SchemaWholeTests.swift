import Foundation
import SwiftData
import TestSupport
import Testing

private enum CloudModels {
  @Model final class Shelf {
    @Attribute(.unique) var code: String
    var note: String?
    var height = 1
    @Relationship(deleteRule: .deny, inverse: \Volume.shelf) var volumes: [Volume] = []

    init(code: String) { self.code = code }
  }

  @Model final class Volume {
    #Unique<Volume>([\.title, \.year])
    var title = ""
    var year = 0
    @Attribute(.ephemeral) var mark = 0
    var shelf: Shelf?
    /// Has no inverse.
    var next: Volume?

    init() {}
  }
}

@Suite("Schemas: described, changed, saved, checked for CloudKit")
struct SchemaWholeTests {
  /// A schema of descriptions, without any class.
  private func described() -> Schema {
    let author = Schema.Relationship(deleteRule: .nullify)
    author.name = "author"
    author.destination = "Person"
    author.inverseName = "books"
    let novel = Schema.Entity("Novel", properties: Schema.Attribute(name: "genre", valueType: String?.self))
    let book = Schema.Entity(
      "Book", subentities: novel,
      properties: Schema.Attribute(name: "isbn", options: [.unique], valueType: String.self),
      Schema.Attribute(name: "pages", originalName: "length", valueType: Int.self, defaultValue: 0, hashModifier: "2"),
      author)
    book.indices = [["pages"], ["binary", "isbn", "pages"]]
    return Schema(book, novel, Schema.Entity("Person"), version: Schema.Version(2, 1, 0))
  }

  @Test("Entities are described without classes, with subentities and inherited properties")
  func descriptions() throws {
    let schema = described()
    let book = try #require(schema.entitiesByName["Book"])
    let novel = try #require(schema.entitiesByName["Novel"])
    #expect(novel.superentityName == "Book" && novel.superentity === book && book.subentities == [novel])
    #expect(novel.inheritedProperties.map(\.name) == ["isbn", "pages", "author"])
    #expect(Set(novel.inheritedPropertiesByName.keys) == ["isbn", "pages", "author"])
    #expect(novel.properties.map(\.name) == ["isbn", "pages", "author", "genre"])
    #expect(Set(novel.storedPropertiesByName.keys) == ["genre"])
    #expect(book.attributesByName["pages"]?.originalName == "length" && book.attributes.count == 2)
    #expect(book.relationshipsByName["author"]?.destination == "Person")
    #expect(book.uniquenessConstraints == [["isbn"]])
    #expect(book.indices == [["binary", "pages"], ["binary", "isbn", "pages"]])
    #expect(schema.debugDescription.contains("Novel: Book"))
  }

  @Test("Each index has its kind first; a property may have the name of a kind")
  func kindsOfIndexes() {
    let entity = Schema.Entity("Shape", properties: Schema.Attribute(name: "binary", valueType: Int.self))
    let indices = [["binary", "binary"], ["rtree", "width", "height"]]
    entity.indices = indices
    #expect(entity.indices == indices)
    entity.indices = [["binary"]]
    #expect(entity.indices == [["binary", "binary"]])
  }

  @Test("Members of an entity can be set")
  func settable() {
    let (base, sub) = (Schema.Entity("Base"), Schema.Entity("Sub"))
    base.storedProperties = [Schema.Attribute(name: "a", valueType: Int.self)]
    base.subentities = [sub]
    #expect(sub.superentity === base && sub.properties.map(\.name) == ["a"])
    base.uniquenessConstraints = [["a"]]
    base.subentities = []
    #expect(sub.superentity == nil && sub.superentityName == nil && sub.properties.isEmpty)
  }

  @Test("A schema is saved to a file and loaded again, equal and with its links")
  func file() throws {
    let store = try TemporaryStore(name: "schema.json")
    let schema = described()
    try schema.save(to: store.url)
    let loaded = try Schema.load(from: store.url)
    #expect(loaded == schema && loaded.hashValue == schema.hashValue && loaded.version == Schema.Version(2, 1, 0))
    #expect(loaded.encodingVersion == Schema.schemaEncodingVersion)
    #expect(loaded.entitiesByName["Novel"]?.superentity === loaded.entitiesByName["Book"])
    #expect(loaded.entitiesByName["Book"]?.indices == [["binary", "pages"], ["binary", "isbn", "pages"]])
    try Data("{}".utf8).write(to: store.url)
    let error = #expect(throws: SwiftDataError.unsupportedSchema) { try Schema.load(from: store.url) }
    #expect(error?.underlyingError is DecodingError)
  }

  @Test("Every rule of CloudKit's is checked")
  func cloudKit() {
    let issues = Schema([CloudModels.Shelf.self]).cloudKitIssues
    let found = issues.map { "\($0.entityName).\($0.propertyNames.joined(separator: "+")) \($0.rule)" }
    #expect(
      found == [
        "Shelf.code uniqueValues", "Shelf.code missingValue", "Shelf.volumes requiredRelationship",
        "Shelf.volumes denyRule", "Volume.next missingInverse", "Volume.title+year uniqueValues",
      ])
    #expect(issues.first?.description.hasPrefix("Shelf.code is unique: ") == true)
    let ordered = Schema.Relationship(.ordered)
    ordered.name = "steps"
    ordered.valueType = [CloudModels.Shelf]?.self
    ordered.inverseName = "plan"
    let schema = Schema(Schema.Entity("Plan", properties: ordered))
    #expect(schema.cloudKitIssues.map(\.rule) == [.orderedRelationship])
    #expect(Schema().cloudKitIssues.isEmpty)
  }
}

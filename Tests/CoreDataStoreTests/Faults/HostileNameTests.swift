import Foundation
import ManagedModel
import SQLite
import StoreInspection
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

/// Names of a store's own model that would mean something to SQL, in a store that has tables and columns of these names.
@Suite(.damagesStores("names that the checker does not quote")) struct HostileNameTests {
  static let names = [
    "a\"b", "a'b", "a;b", "x\"; DROP TABLE Z_METADATA; --", "a\nb", "a\\b", "a]b[", "a`b", "select", "%s%n", "a b",
    "?1",
    ":a", "\u{202e}e\u{301}", "../../etc/passwd", "", "rowid",
  ]

  private static func model(_ name: String) -> ModelDescription {
    ModelDescription(entities: [
      EntityDescription(
        name: "E" + name,
        properties: [
          .attribute(AttributeDescription(name: "p" + name, type: .string)),
          .relationship(
            RelationshipDescription(
              name: "one" + name, destinationEntityName: "E" + name, inverseName: "many" + name, maximumCount: 1)),
          .relationship(
            RelationshipDescription(
              name: "many" + name, destinationEntityName: "E" + name, inverseName: "one" + name, maximumCount: 0)),
        ])
    ])
  }

  @Test("objects are saved, fetched, counted and checked under any name", arguments: names)
  func use(_ name: String) throws {
    let folder = try TemporaryStore()
    let (entity, property) = ("E" + name, "p" + name)
    let first = try PersistentStore.open(at: folder.url, model: Self.model(name))
    var changes = ChangeSet()
    let number = Int32(try first.layout.existingEntity(entity).number)
    changes.insertions = (0..<3).map { value in
      .init(
        entity: number, columns: [ColumnSelection(entityName: entity, propertyName: property)],
        source: StoreValuesRow(values: [property: .text("\(value)")]))
    }
    _ = try first.save(changes)
    first.close()
    // By the model that the store carries.
    let store = try PersistentStore.open(at: folder.url, options: StoreOptions(createsIfMissing: false))
    defer { store.close() }
    #expect(store.layout.entities.map(\.name) == [entity])
    #expect(try store.rows(of: entity).count == 3)
    #expect(try store.count(FetchRequest(entityName: entity)) == 3)
    let cursor = try store.related(
      to: (entity, "many" + name), owners: [ObjectKey(entity: number, key: 1)], columns: [])
    #expect(try !cursor.next())
    #expect(try StoreChecker.check(store) == [])
    #expect(try StoreSummary.read(folder.url).entities.map(\.name) == [entity])
  }

  @Test("a NUL in a name is refused before anything is made", arguments: ["entity", "attribute", "element", "index"])
  func nul(_ place: String) throws {
    let folder = try TemporaryStore()
    let bad = "a\0b"
    let attribute =
      place == "element"
      ? AttributeDescription(
        name: "c", type: .composite, elements: [AttributeDescription(name: bad, type: .string)])
      : AttributeDescription(name: place == "attribute" ? bad : "a", type: .string)
    let model = ModelDescription(entities: [
      EntityDescription(
        name: place == "entity" ? bad : "E", properties: [.attribute(attribute)],
        fetchIndexes: place == "index"
          ? [FetchIndexDescription(name: bad, elements: [.init(subject: .property("a"))])] : [])
    ])
    let error = try #require(throws: StoreError.self) { try PersistentStore.open(at: folder.url, model: model) }
    #expect(error.description.contains("contains a NUL character"), "\(error)")
    #expect(!error.description.contains("\0"))
    if place == "element" { #expect(error.description.contains("attribute “c.a\\u{0}b”"), "\(error)") }
    #expect(try FolderState(folder.folder).files.isEmpty)
  }

  @Test("text of SQL with a NUL is never cut off and run")
  func sql() throws {
    let connection = try Connection.inMemory()
    #expect(throws: SQLiteError.self) { try connection.execute("CREATE TABLE A (B);\0 garbage") }
    #expect(throws: SQLiteError.self) { try connection.prepare("SELECT 1\0 garbage") }
    #expect(try connection.integer("SELECT count(*) FROM sqlite_master") == 0)
  }
}

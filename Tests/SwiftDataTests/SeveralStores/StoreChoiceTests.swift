import Foundation
import StoreRequests
import TestSupport
import Testing

@testable import SwiftData

@Suite("The store of a new object of a class that several stores keep")
struct StoreChoiceTests {
  @Model final class Shelf {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Item.shelf) var items: [Item] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Item {
    var name: String
    var shelf: Shelf?
    init(_ name: String) { self.name = name }
  }

  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }

  let store: TemporaryStore
  let first: ModelConfiguration
  let second: ModelConfiguration
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    let schema = Schema([Shelf.self, Item.self, Note.self])
    first = ModelConfiguration("first", schema: schema, url: store.folder.appendingPathComponent("first.store"))
    second = ModelConfiguration(
      "second", schema: Schema([Shelf.self, Item.self]), url: store.folder.appendingPathComponent("second.store"))
    container = try ModelContainer(for: schema, configurations: first, second)
    context = ModelContext(container)
  }

  /// The names of the shelves and items in a store, by its place among the configurations.
  private func names(_ place: Int) throws -> [String] {
    let (context, identifier) = (ModelContext(container), container.core.stores[place].engine.identifier)
    let shelves = try context.fetch(FetchDescriptor<Shelf>()).filter {
      $0.persistentModelID.storeIdentifier == identifier
    }
    let items = try context.fetch(FetchDescriptor<Item>()).filter { $0.persistentModelID.storeIdentifier == identifier }
    return shelves.map(\.name).sorted() + items.map { "\($0.shelf?.name ?? "-")/\($0.name)" }.sorted()
  }

  @Test("Each store without a schema of its own keeps the classes that no other schema has")
  func withoutSchema() throws {
    let schema = Schema([Shelf.self, Item.self, Note.self])
    let names = ["a", "b", "c"]
    let configurations = names.map { name in
      ModelConfiguration(
        name, schema: name == "c" ? Schema([Note.self]) : nil, url: store.folder.appendingPathComponent("\(name).store")
      )
    }
    let container = try ModelContainer(for: schema, configurations: configurations)
    let context = ModelContext(container)
    for configuration in configurations.prefix(2) { try context.insert(Shelf(configuration.name), into: configuration) }
    context.insert(Shelf("first"))
    try context.insert(Note("n"), into: configurations[2])
    #expect(throws: SwiftDataError.unknownSchema) { try context.insert(Note("n"), into: configurations[1]) }
    try context.save()
    let kept = container.core.stores.map(\.engine.identifier).map { identifier in
      (try? ModelContext(container).fetch(FetchDescriptor<Shelf>()))?
        .filter { $0.persistentModelID.storeIdentifier == identifier }.map(\.name).sorted()
    }
    #expect(kept == [["a", "first"], ["b"], []])
    // The stores are opened again as they are.
    let again = ModelContext(try ModelContainer(for: schema, configurations: configurations))
    #expect(try again.fetchCount(FetchDescriptor<Shelf>()) == 3)
  }

  @Test("An object goes with all that it reaches into the named store, otherwise into the first")
  func choice() throws {
    let shelf = Shelf("S")
    shelf.items = [Item("a"), Item("b")]
    try context.insert(shelf, into: second)
    context.insert(Shelf("F"))
    try context.insert(Item("c"), into: first)
    try context.save()
    #expect(try names(0) == ["F", "-/c"])
    #expect(try names(1) == ["S", "S/a", "S/b"])
    shelf.items.append(Item("d"))
    try context.save()
    #expect(try names(1) == ["S", "S/a", "S/b", "S/d"])
  }

  @Test("An object that is in the store already stays, also one whose deletion is not saved")
  func again() throws {
    let shelf = Shelf("S")
    try context.insert(shelf, into: second)
    try context.insert(shelf, into: second)
    try context.save()
    context.delete(shelf)
    try context.insert(shelf, into: second)
    try context.save()
    #expect(try names(1) == ["S"] && !shelf.isDeleted)
  }

  @Test("An object of another store or context is refused")
  func elsewhere() throws {
    let shelf = Shelf("S")
    context.insert(shelf)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.insert(shelf, into: second) }
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try ModelContext(container).insert(shelf, into: first)
    }
    try context.save()
    #expect(try names(0) == ["S"] && names(1) == [])
  }

  @Test("A configuration of another container, a store without the class, and a read-only store are refused")
  func unfit() throws {
    let stranger = ModelConfiguration("stranger", url: store.folder.appendingPathComponent("stranger.store"))
    var error = #expect(throws: SwiftDataError.storeFailure) { try context.insert(Shelf("S"), into: stranger) }
    #expect(error?.explanation?.contains("stranger") == true)
    error = #expect(throws: SwiftDataError.unknownSchema) { try context.insert(Note("n"), into: second) }
    #expect(error?.explanation?.contains("Note") == true)
    let schema = try #require(first.schema)
    let readOnly = ModelConfiguration("first", schema: schema, url: first.url, allowsSave: false)
    let reading = try ModelContainer(for: schema, configurations: readOnly, second)
    let reader = ModelContext(reading)
    #expect(throws: SwiftDataError.storeFailure) { try reader.insert(Shelf("S"), into: readOnly) }
    #expect(!context.hasChanges && !reader.hasChanges)
  }
}

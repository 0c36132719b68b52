import Foundation
import StoreRequests
import TestSupport
import Testing

@testable import SwiftData

/// The models of ``EngineConformanceTests``: values of every kind, and relationships that the library lacks.
enum EngineModels {
  enum Kind: String, Codable { case small, large }

  struct Place: Codable, Equatable {
    var street: String
    var number: Int
  }

  @Model class Item {
    @Attribute(.unique) var serial: Int
    var name: String?
    var price: Decimal
    var made: Date
    var code: UUID
    var weight: Double
    var isNew: Bool
    var bytes: Data
    var link: URL
    var kind: Kind
    var place: Place
    var words: [String]
    /// Its own inverse.
    @Relationship(.selfInverse) var friends: [Item] = []
    var shelf: Shelf?

    init(_ serial: Int, name: String? = nil, weight: Double = 0) {
      self.serial = serial
      self.name = name
      self.weight = weight
      price = Decimal(serial) / 4
      made = Date(timeIntervalSinceReferenceDate: Double(serial))
      code = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(truncatingIfNeeded: serial)))
      isNew = serial.isMultiple(of: 2)
      bytes = Data([UInt8(truncatingIfNeeded: serial), 0])
      link = URL(fileURLWithPath: "/\(serial)")
      kind = serial.isMultiple(of: 3) ? .large : .small
      place = Place(street: "S\(serial)", number: serial)
      words = ["a", "\(serial)"]
    }
  }

  @Model final class Tool: Item {
    var edge: Int

    init(_ serial: Int, edge: Int) {
      self.edge = edge
      super.init(serial, name: "tool")
    }
  }

  @Model final class Shelf {
    var title: String
    @Relationship(deleteRule: .cascade, inverse: \Item.shelf) var items: [Item] = []

    init(_ title: String) { self.title = title }
  }

  static let schema = Schema([Item.self, Tool.self, Shelf.self])
}

/// What any engine must let the framework do. The suites with the trait `.everyEngine` say the rest.
@Suite("Any engine")
struct EngineConformanceTests {
  typealias Item = EngineModels.Item
  typealias Tool = EngineModels.Tool
  typealias Shelf = EngineModels.Shelf

  @Test("Values of every kind come back", arguments: TestEngine.allCases)
  func values(engine: TestEngine) throws {
    let store = try TemporaryStore()
    let container = try engine.container(EngineModels.schema, store)
    let context = ModelContext(container)
    for serial in [-7, 0, 12] { context.insert(Item(serial, name: serial == 0 ? nil : "n\(serial)", weight: 0.5)) }
    try context.save()
    let items = try ModelContext(container).fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.serial)]))
    #expect(items.map(\.serial) == [-7, 0, 12])
    for item in items {
      let wanted = Item(item.serial, name: item.serial == 0 ? nil : "n\(item.serial)", weight: 0.5)
      #expect(item.name == wanted.name && item.price == wanted.price && item.made == wanted.made)
      #expect(item.code == wanted.code && item.weight == wanted.weight && item.isNew == wanted.isNew)
      #expect(item.bytes == wanted.bytes && item.link == wanted.link && item.kind == wanted.kind)
      #expect(item.place == wanted.place && item.words == wanted.words)
    }
  }

  @Test("Predicates, orders, limits and batches select the same objects", arguments: TestEngine.allCases)
  func fetches(engine: TestEngine) throws {
    let store = try TemporaryStore()
    let container = try engine.container(EngineModels.schema, store)
    let context = ModelContext(container)
    for serial in 0..<40 {
      context.insert(
        serial.isMultiple(of: 5) ? Tool(serial, edge: serial % 7) : Item(serial, weight: Double(serial % 4)))
    }
    try context.save()
    let fresh = ModelContext(container)
    var descriptor = FetchDescriptor<Item>(
      predicate: #Predicate { $0.weight > 1 && $0.serial < 30 },
      sortBy: [SortDescriptor(\.weight, order: .reverse), SortDescriptor(\.serial)])
    descriptor.fetchOffset = 2
    descriptor.fetchLimit = 9
    let wanted = (0..<30).filter { !$0.isMultiple(of: 5) && $0 % 4 > 1 }.sorted { ($1 % 4, $0) < ($0 % 4, $1) }
    #expect(try fresh.fetch(descriptor).map(\.serial) == Array(wanted.dropFirst(2).prefix(9)))
    #expect(try fresh.fetchCount(descriptor) == 9)
    #expect(try fresh.fetchIdentifiers(descriptor).count == 9)
    var seen: [Int] = []
    try fresh.enumerate(descriptor, batchSize: 4) { seen.append($0.serial) }
    #expect(seen == Array(wanted.dropFirst(2).prefix(9)))
    let tools = try fresh.fetch(FetchDescriptor<Tool>(predicate: #Predicate { $0.edge == 3 }))
    #expect(tools.map(\.serial).sorted() == [10])
    let kinds = try fresh.fetch(FetchDescriptor<Item>(predicate: #Predicate { $0 is Tool }))
    #expect(kinds.count == 8)
    var some = FetchDescriptor<Item>()
    some.fetchLimit = 3
    #expect(try fresh.fetch(some).count == 3)
  }

  @Test("An identifier leads to its object, in its coded form too", arguments: TestEngine.allCases)
  func identifiers(engine: TestEngine) throws {
    let store = try TemporaryStore()
    let container = try engine.container(EngineModels.schema, store)
    let context = ModelContext(container)
    let item = Item(1)
    context.insert(item)
    let temporary = item.persistentModelID
    try context.save()
    let identifier = item.persistentModelID
    let coded = try JSONDecoder().decode(
      PersistentIdentifier.self, from: JSONEncoder().encode(identifier))
    #expect(coded == identifier)
    #expect("\(identifier)".contains("/Item/p1") == (engine != .dictionaries))
    for one in [identifier, coded, temporary] {
      let found = ModelContext(container).model(for: one) as? Item
      #expect(found?.serial == 1)
    }
    #expect(try context.fetchIdentifiers(FetchDescriptor<Item>()) == [identifier])
    let selected = try ModelContext(container).fetch(
      FetchDescriptor<Item>(predicate: #Predicate { $0.persistentModelID == identifier }))
    #expect(selected.map(\.serial) == [1])
  }

  @Test("Relationships from both sides, and delete rules", arguments: TestEngine.allCases)
  func relationships(engine: TestEngine) throws {
    let store = try TemporaryStore()
    let container = try engine.container(EngineModels.schema, store)
    let context = ModelContext(container)
    let shelf = Shelf("A")
    let items = [Item(1), Item(2), Tool(3, edge: 1)]
    shelf.items = items
    items[0].friends = [items[1], items[2]]
    context.insert(shelf)
    try context.save()
    let fresh = ModelContext(container)
    let read = try #require(try fresh.fetch(FetchDescriptor<Shelf>()).first)
    #expect(Set(read.items.map(\.serial)) == [1, 2, 3])
    #expect(read.items.contains { $0 is Tool })
    let first = try #require(read.items.first { $0.serial == 1 })
    #expect(Set(first.friends.map(\.serial)) == [2, 3])
    #expect(first.friends.allSatisfy { $0.friends.map(\.serial) == [1] })
    first.friends.removeAll { $0.serial == 2 }
    first.name = "changed"
    try fresh.save()
    let again = ModelContext(container)
    let second = try #require(try again.fetch(FetchDescriptor<Item>(predicate: #Predicate { $0.serial == 2 })).first)
    #expect(second.friends.isEmpty && second.shelf?.title == "A")
    again.delete(try #require(second.shelf))
    try again.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Item>()) == 0)
  }

  @Test("A save that throws writes nothing", arguments: TestEngine.allCases)
  func atomic(engine: TestEngine) throws {
    let store = try TemporaryStore()
    let container = try engine.container(EngineModels.schema, store)
    let context = ModelContext(container)
    context.insert(Item(1))
    try context.save()
    let item = try #require(try context.fetch(FetchDescriptor<Item>()).first)
    item.name = "new"
    context.insert(Item(2, weight: .nan))
    #expect(throws: SwiftDataError.self) { try context.save() }
    let stored = try ModelContext(container).fetch(FetchDescriptor<Item>())
    #expect(stored.map(\.serial) == [1] && stored[0].name == nil)
  }

  @Test("An engine that neither selects nor sorts is never asked to")
  func capabilities() throws {
    let engine = MemoryEngine(try EngineModels.schema.lowered())
    #expect(throws: MemoryEngine.Problem.self) {
      _ = try engine.fetch(FetchRequest(entityName: "Item", predicate: .truth(true)))
    }
  }
}

/// Several stores of a container that keep objects of one class.
@Suite("A class in several stores")
struct SeveralStoresTests {
  typealias Item = EngineModels.Item
  typealias Tool = EngineModels.Tool
  typealias Shelf = EngineModels.Shelf

  /// Two stores of one schema; the first holds even serial numbers, the second odd ones.
  private func world(firstAllowsSave: Bool = true) throws -> (TemporaryStore, ModelContainer) {
    let store = try TemporaryStore()
    let urls = ["A", "B"].map { store.folder.appendingPathComponent("\($0).store") }
    for (index, url) in urls.enumerated() {
      let container = try ModelContainer(for: EngineModels.schema, configurations: ModelConfiguration(url: url))
      let context = ModelContext(container)
      for serial in stride(from: index, to: 10, by: 2) { context.insert(Item(serial, name: "\(index)")) }
      let shelf = Shelf("shelf \(index)")
      context.insert(shelf)
      try context.save()
    }
    let configurations = zip(["A", "B"], urls).map { name, url in
      ModelConfiguration(name, schema: EngineModels.schema, url: url, allowsSave: firstAllowsSave || name == "B")
    }
    return (store, try ModelContainer(for: EngineModels.schema, configurations: configurations))
  }

  @Test("A fetch merges the objects of all stores, in its order and within its limits")
  func fetches() throws {
    let (store, container) = try world()
    defer { _ = store }
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<Item>()) == 10)
    var descriptor = FetchDescriptor<Item>(sortBy: [SortDescriptor(\.serial, order: .reverse)])
    #expect(try context.fetch(descriptor).map(\.serial) == Array((0..<10).reversed()))
    descriptor.fetchOffset = 3
    descriptor.fetchLimit = 4
    #expect(try context.fetch(descriptor).map(\.serial) == [6, 5, 4, 3])
    #expect(try context.fetchCount(descriptor) == 4)
    #expect(try context.fetchIdentifiers(descriptor).count == 4)
    #expect(Set(try context.fetchIdentifiers(FetchDescriptor<Item>()).map(\.storeIdentifier)).count == 2)
    var seen: [Int] = []
    try context.enumerate(descriptor, batchSize: 2) { seen.append($0.serial) }
    #expect(seen == [6, 5, 4, 3])
    seen = []
    try context.enumerate(FetchDescriptor<Item>(), batchSize: 3) { seen.append($0.serial) }
    #expect(Set(seen) == Set(0..<10))
    context.insert(Item(100))
    #expect(try context.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.serial)])).last?.serial == 100)
  }

  @Test("Changes go to the store of the object, and a new object to the first store that allows saving")
  func saves() throws {
    let (store, container) = try world(firstAllowsSave: false)
    defer { _ = store }
    let context = ModelContext(container)
    let odd = try #require(try context.first(Item.self, where: #Predicate { $0.serial == 3 }))
    odd.name = "changed"
    let new = Item(50)
    context.insert(new)
    try context.save()
    #expect(new.persistentModelID.storeIdentifier == odd.persistentModelID.storeIdentifier)
    let fresh = ModelContext(container)
    #expect(try fresh.first(Item.self, where: #Predicate { $0.serial == 3 })?.name == "changed")
    #expect(try fresh.fetchCount(FetchDescriptor<Item>()) == 11)
  }

  @Test("A new object goes to the store of the object that it leads to; a link between stores makes the save throw")
  func links() throws {
    let (store, container) = try world()
    defer { _ = store }
    let context = ModelContext(container)
    let shelf = try #require(try context.first(Shelf.self, where: #Predicate { $0.title == "shelf 1" }))
    let new = Item(60)
    shelf.items.append(new)
    let other = Item(61)
    other.shelf = shelf
    context.insert(other)
    try context.save()
    for item in [new, other] {
      #expect(item.persistentModelID.storeIdentifier == shelf.persistentModelID.storeIdentifier)
    }
    let even = try #require(try context.first(Item.self, where: #Predicate { $0.serial == 2 }))
    even.shelf = shelf
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect("\(try #require(error))".contains("another store"))
  }
}

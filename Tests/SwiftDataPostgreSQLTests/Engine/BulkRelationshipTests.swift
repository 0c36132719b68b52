import Foundation
import PostgreSQLTestSupport
import Synchronization
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("Changes of many relationships over a server", TestServer.condition)
struct BulkRelationshipTests {
  @Model final class Tag {
    var name: String
    var items: [Item] = []
    /// Without an inverse: the key stands in the rows of the items.
    var favourites: [Item] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Item {
    var number: Int
    @Relationship(inverse: \Tag.items) var tags: [Tag] = []
    /// Both sides are one relationship.
    @Relationship(.selfInverse) var friends: [Item] = []
    init(_ number: Int) { self.number = number }
  }

  private let store: TemporaryStore
  private let container: ModelContainer
  private let statements: Statements

  private final class Statements: Sendable { let seen = Mutex<[String]>([]) }

  init() throws {
    store = try TemporaryStore()
    let statements = Statements()
    self.statements = statements
    var configuration = PostgreSQLConfiguration(
      try #require(TestServer.shared).address, databaseSchema: store.databaseSchema, connectionLimit: 4)
    configuration.log = { sql in statements.seen.withLock { $0.append(sql) } }
    container = try ModelContainer(for: Schema([Item.self, Tag.self]), configurations: [configuration])
  }

  private func count(_ body: () throws -> Void) rethrows -> Int {
    statements.seen.withLock { $0 = [] }
    try body()
    return statements.seen.withLock { $0.count }
  }

  /// The numbers of the tags, favourites and friends of each object, as another context reads them.
  private func graph() throws -> [String] {
    let context = ModelContext(container)
    let items = try context.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.number)]))
    let tags = try context.fetch(FetchDescriptor<Tag>(sortBy: [SortDescriptor(\.name)]))
    return items.map { "\($0.number): \($0.tags.map(\.name).sorted()) \($0.friends.map(\.number).sorted())" }
      + tags.map { "\($0.name): \($0.items.map(\.number).sorted()) \($0.favourites.map(\.number).sorted())" }
  }

  private func expected(_ items: [Item], _ tags: [Tag]) -> [String] {
    items.sorted { $0.number < $1.number }.map {
      "\($0.number): \($0.tags.map(\.name).sorted()) \($0.friends.map(\.number).sorted())"
    }
      + tags.sorted { $0.name < $1.name }.map {
        "\($0.name): \($0.items.map(\.number).sorted()) \($0.favourites.map(\.number).sorted())"
      }
  }

  @Test("A save writes the pairs and keys of all objects by a few statements")
  func few() throws {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let tags = (0..<10).map { Tag("tag \($0)") }
    let items = (0..<300).map { Item($0) }
    for model in tags { context.insert(model) }
    for model in items { context.insert(model) }
    for (index, item) in items.enumerated() {
      item.tags = [0, 3, 7].map { tags[(index + $0) % 10] }
      item.friends = [items[(index + 1) % 300]]
    }
    for (index, tag) in tags.enumerated() { tag.favourites = Array(items[(index * 10)..<(index * 10 + 10)]) }
    let insertion = try count { try context.save() }
    #expect(insertion < 30, "\(insertion)")
    #expect(try graph() == expected(items, tags))
    // Every object gets and loses some; members go from one owner to another.
    for (index, item) in items.enumerated() {
      item.tags = [1, 3].map { tags[(index + $0) % 10] }
      item.friends = index.isMultiple(of: 3) ? [] : [items[(index + 5) % 300]]
    }
    for (index, tag) in tags.enumerated() { tag.favourites = Array(items[(index * 10 + 5)..<(index * 10 + 12)]) }
    let change = try count { try context.save() }
    #expect(change < 30, "\(change)")
    #expect(try graph() == expected(items, tags))
  }
}

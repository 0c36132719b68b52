import Foundation
import SQLite
import StoreInspection
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import SwiftData

/// The search index as a part of a Core Data store's file.
@Suite("Full-text search in a file")
struct SearchFileTests {
  typealias Text = SearchLibrary.Text

  /// Has three texts with the word "whale".
  private func whales() throws -> SearchWorld {
    let world = try SearchWorld()
    for title in ["whale", "a whale", "the white whale"] { world.context.insert(Text(title)) }
    try world.context.save()
    return world
  }

  @Test("Making an index again leaves the definitions, and removing it leaves the store as before")
  func lifetime() throws {
    let fresh = try SearchWorld(hasIndex: false)
    fresh.context.insert(Text("whale"))
    try fresh.context.save()
    let before = try fresh.definitions()
    try fresh.container.makeSearchIndex(for: Text.self, on: [\.title])
    let made = try fresh.definitions()
    #expect(made.count == before.count + 8)
    try fresh.container.makeSearchIndex(for: Text.self, on: [\.title])
    #expect(try fresh.definitions() == made && fresh.titles("whale") == ["whale"])
    #expect(throws: SwiftDataError.unsupportedKeyPath) { try fresh.titles("whale", in: [\.body]) }
    try fresh.container.makeSearchIndex(for: Text.self, on: [\.title, \.body])
    #expect(try fresh.titles("whale", in: [\.body]) == [] && fresh.titles("whale", in: [\.title]) == ["whale"])
    try fresh.check()
    #expect(try fresh.container.removeSearchIndex(for: Text.self))
    #expect(try !fresh.container.removeSearchIndex(for: Text.self) && fresh.definitions() == before)
    #expect(throws: SwiftDataError.unsupportedPredicate) { try fresh.titles("whale") }
    fresh.context.insert(Text("more"))
    try fresh.context.save()
    try Oracle.expectSound(fresh.store.url, fresh: true)
  }

  @Test("A store in memory has search as well")
  func inMemory() throws {
    let world = try whales()
    let container = try ModelContainer(
      for: Schema(SearchLibrary.types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    try container.makeSearchIndex(for: Text.self, on: [\.title])
    let context = ModelContext(container)
    context.insert(Text("whale"))
    try context.save()
    context.insert(Text("a whale"))
    #expect(try world.titles("whale", context: context) == ["whale", "a whale"])
  }

  @Test("A store without full-text search says so, and does not leave the words out")
  func otherEngine() throws {
    let world = try whales()
    let container = try TestEngine.dictionaries(
      Schema(SearchLibrary.types), [ModelConfiguration(isStoredInMemoryOnly: true)])
    let error = #expect(throws: SwiftDataError.storeFailure) {
      try container.makeSearchIndex(for: Text.self, on: [\.title])
    }
    #expect(error?.description.contains("no full-text search") == true)
    let context = ModelContext(container)
    context.insert(Text("whale"))
    #expect(throws: SwiftDataError.unsupportedPredicate) { try world.titles("whale", context: context) }
    var descriptor = FetchDescriptor<Text>()
    descriptor.search = TextSearch("whale")
    #expect(throws: SwiftDataError.unsupportedPredicate) { try context.fetchCount(descriptor) }
    #expect(throws: SwiftDataError.unsupportedPredicate) { try context.fetchIdentifiers(descriptor) }
    #expect(throws: SwiftDataError.unsupportedPredicate) { try context.fetchValues(descriptor, \.title) }
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.enumerate(descriptor, allowEscapingMutations: true) { _ in }
    }
  }

  @Test("An index without one of its triggers is not used, and is made anew on demand")
  func incomplete() throws {
    let world = try whales()
    try world.change("DROP TRIGGER OSD_Text_SEARCH_UPDATE")
    let error = #expect(throws: SwiftDataError.unsupportedPredicate) { try world.titles("whale") }
    #expect(error?.description.contains("makeSearchIndex") == true)
    world.context.insert(Text("whale"))
    try world.context.save()
    try world.container.makeSearchIndex(for: Text.self, on: [\.title, \.body])
    #expect(try world.titles("whale").count == 4)
    try world.check()
  }

  @Test("A copy of a store has its search index")
  func copies() throws {
    let world = try whales()
    let copy = try TemporaryStore()
    try world.container.backup(to: copy.url)
    let container = try SearchLibrary.container(copy)
    #expect(try world.titles("whale", context: ModelContext(container)).count == 3)
    #expect(try StoreChecker.check(copy.url).isEmpty)
  }

  @Test("After a large save that fails, the index is as before, and triggers run again")
  func failed() throws {
    let world = try SearchWorld()
    try PlainSQL.run(world.store.url, "CREATE UNIQUE INDEX ONE_TITLE ON ZTEXT (ZTITLE)")
    for index in 0..<100 { world.context.insert(Text("\(index % 99)", "walrus")) }
    #expect(throws: SwiftDataError.self) { try world.context.save() }
    world.context.rollback()
    #expect(try world.titles("walrus") == [])
    world.context.insert(Text("single", "narwhal"))
    try world.context.save()
    #expect(try world.titles("narwhal") == ["single"])
    try world.checkIndexes()
  }

  @Test("A trigger of another program on the same table runs in large saves, too")
  func otherTrigger() throws {
    let world = try SearchWorld()
    try PlainSQL.run(
      world.store.url,
      """
      CREATE TABLE COUNTED (N);
      INSERT INTO COUNTED VALUES (0);
      CREATE TRIGGER COUNTS AFTER INSERT ON ZTEXT BEGIN UPDATE COUNTED SET N = N + 1; END;
      """)
    for index in 0..<100 { world.context.insert(Text("\(index)", "walrus")) }
    try world.context.save()
    #expect(try PlainSQL.rows(world.store.url, "SELECT N FROM COUNTED") == [[.integer(100)]])
    #expect(try world.titles("walrus").count == 100)
    try world.checkIndexes()
  }

  @Test("A container that only reads searches, and makes no index")
  func readOnly() throws {
    let world = try whales()
    let reader = try ModelContainer(
      for: Schema(SearchLibrary.types), configurations: ModelConfiguration(url: world.store.url, allowsSave: false))
    #expect(throws: SwiftDataError.storeFailure) { try reader.makeSearchIndex(for: Text.self, on: [\.title]) }
    #expect(try world.titles("whale", context: ModelContext(reader)).count == 3)
  }
}

extension SearchWorld {
  /// Runs a statement as another program does, which trusts the schema.
  fileprivate func change(_ sql: String) throws {
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    defer { connection.close() }
    try connection.trustSchema()
    try connection.execute(sql)
  }

  /// The SQL texts of the store.
  fileprivate func definitions() throws -> [String] {
    try PlainSQL.lines(store.url, "SELECT name || ' ' || ifnull(sql, '') FROM sqlite_master ORDER BY name")
  }
}

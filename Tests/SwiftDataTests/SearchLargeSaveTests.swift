import Foundation
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import SwiftData

@Suite("Saves of many objects with a search index, and the weights of properties")
struct SearchLargeSaveTests {
  typealias Text = SearchLibrary.Text
  typealias Letter = SearchLibrary.Letter

  /// Fails if the index has other words than the rows.
  private func checkIndex(_ world: SearchWorld) throws {
    let connection = try Connection(path: world.store.url.path, mode: .readWrite)
    defer { connection.close() }
    for entity in ["Text", "Letter"] {
      let name = "OSD_\(entity)_SEARCH"
      let exists = try connection.integer("SELECT 1 FROM sqlite_master WHERE name = '\(name)'") != nil
      if exists { try connection.execute("INSERT INTO \(name) (\(name), rank) VALUES ('integrity-check', 1)") }
    }
  }

  @Test("All rows of a large save are found, whatever else the save does", arguments: [1, 31, 32, 500])
  func large(count: Int) throws {
    let world = try SearchWorld()
    try world.container.makeSearchIndex(for: Letter.self, on: [\.receiver])
    let old = (0..<40).map { Text("old \($0)", "whale") }
    old.forEach(world.context.insert)
    try world.context.save()
    for (index, text) in old.enumerated() {
      if index < 10 { world.context.delete(text) } else if index < 20 { text.body = "shark" }
    }
    for index in 0..<count {
      world.context.insert(
        index.isMultiple(of: 2) ? Text("new \(index)", "walrus") : Letter("new \(index)", "walrus", to: "Ahab"))
    }
    world.context.insert(SearchLibrary.Owner("nobody"))
    try world.context.save()
    #expect(try world.titles("whale").count == 20)
    #expect(try world.titles("shark").count == 10)
    #expect(try world.titles("walrus").count == count)
    try checkIndex(world)
    // The triggers run again.
    world.context.insert(Text("single", "narwhal"))
    try world.context.save()
    #expect(try world.titles("narwhal") == ["single"])
    try checkIndex(world)
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
    try checkIndex(world)
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
    try checkIndex(world)
  }

  @Test("A weight puts matches in a property before other matches")
  func weights() throws {
    let world = try SearchWorld()
    world.context.insert(Text("whale", "a long text about ships and the sea"))
    world.context.insert(Text("a long title about ships and the sea", "whale"))
    try world.context.save()
    func first(_ weights: [PartialKeyPath<Text>: Double]) throws -> String? {
      var descriptor = FetchDescriptor<Text>()
      descriptor.search = TextSearch("whale")
      descriptor.search?.weights = weights
      return try world.context.fetch(descriptor).first?.title
    }
    #expect(try first([\.title: 10, \.body: 1]) == "whale")
    #expect(try first([\.title: 0.1]) == "a long title about ships and the sea")
    for wrong in [-1, Double.nan, .infinity] {
      #expect(throws: SwiftDataError.unsupportedKeyPath) { try first([\.title: wrong]) }
    }
    #expect(throws: SwiftDataError.unsupportedKeyPath) { try first([\.rating: 1]) }
  }
}

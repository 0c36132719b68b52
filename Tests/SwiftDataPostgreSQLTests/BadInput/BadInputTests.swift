import PostgreSQLTestSupport
import SwiftData
import Testing

@Suite("What a store over PostgreSQL cannot work with", TestServer.condition)
struct BadInputTests {
  let world: BadInputWorld

  init() throws { world = try BadInputWorld() }

  /// Runs a case. The error has the place, the cause and the way out, and no password.
  private func expectError(_ input: BadInput) throws {
    let error = #expect(throws: SwiftDataError.self) { try input.run(world) }
    // The server writes names in straight quotation marks.
    let message = "\(try #require(error) as any Error)"
    let text = message.replacing("“", with: "\"").replacing("”", with: "\"")
    let place = input.place ?? "database postgres on \(world.server.folder)"
    for part in [place, input.remedy] + input.cause {
      let wanted = part.replacing("“", with: "\"").replacing("”", with: "\"")
      #expect(text.contains(wanted), "“\(part)” is missing: \(message)")
    }
    #expect(!message.contains(BadInputWorld.password), "\(message)")
  }

  @Test("A connection that is refused, or leads nowhere, is told with the way out", arguments: BadInput.connections)
  func connections(_ input: BadInput) throws { try expectError(input) }

  @Test(
    "Tables of others, tables changed by hand and missing rights are told with the way out",
    arguments: BadInput.tables)
  func tables(_ input: BadInput) throws { try expectError(input) }

  @Test("What happens to the tables of an open store is told with the way out", arguments: BadInput.openStores)
  func openStores(_ input: BadInput) throws { try expectError(input) }

  @Test("A text with a NUL names the entity and the property, and nothing of the save is written")
  func nul() throws {
    let context = try world.context()
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try world.save(context, title: "a\0b") }
    let message = "\(try #require(error) as any Error)"
    for part in ["Book", "title", "NUL character (U+0000)", "database postgres on \(world.server.folder)", "remove it"]
    {
      #expect(message.contains(part), "\(message)")
    }
    #expect(!message.contains(BadInputWorld.password))
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<BadInputWorld.Book>()) == 1)
    // The object is still there to be corrected.
    try #require(context.insertedModelsArray.first as? BadInputWorld.Book).title = "ab"
    try context.save()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<BadInputWorld.Book>()) == 2)
  }

  @Test("An update of many objects with a NUL in a text is refused in the same words, and changes none")
  func nulInUpdate() throws {
    let context = try world.context()
    let error = #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.update(model: BadInputWorld.Book.self) { $0.set(\.title, to: "a\0b") }
      try context.save()
    }
    let message = "\(try #require(error) as any Error)"
    for part in ["Book", "title", "NUL character (U+0000)", "database postgres on \(world.server.folder)", "remove it"]
    {
      #expect(message.contains(part), "\(message)")
    }
    let titles = try ModelContext(context.container).fetch(FetchDescriptor<BadInputWorld.Book>()).map(\.title)
    #expect(titles == ["A"])
  }

  @Test("A store that is open works again when the change by hand is undone")
  func undone() throws {
    let context = try world.context()
    try world.execute("ALTER TABLE \(world.schema).book RENAME COLUMN title TO heading")
    #expect(throws: SwiftDataError.storeFailure) { try world.fetch(context) }
    #expect(throws: SwiftDataError.storeFailure) { try world.save(context) }
    try world.execute("ALTER TABLE \(world.schema).book RENAME COLUMN heading TO title")
    try context.save()
    let titles = try ModelContext(context.container).fetch(FetchDescriptor<BadInputWorld.Book>()).map(\.title)
    #expect(titles.sorted() == ["A", "B"])
  }
}

import CoreDataStore
import Foundation
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreTransfer
import SwiftDataPostgreSQL
import TestSupport
import Testing

@testable import SwiftData

@Suite("Copies of collections to PostgreSQL and back", TestServer.condition)
struct JSONTransferTests {
  typealias Thing = JSONColumnTests.Thing

  @Test("A file's collections become JSON, and come back as the file's bytes")
  func fromFile() throws {
    let world = try TransferWorld()
    let thing = try JSONColumnTests.filled(1)
    let container = try ModelContainer(
      for: Schema([Thing.self]), configurations: ModelConfiguration(url: world.folder.url))
    let context = ModelContext(container)
    context.insert(thing)
    context.insert(Thing(2))
    try context.save()
    let store = try PersistentStore.open(at: world.folder.url, options: StoreOptions(isReadOnly: true))
    defer { store.close() }
    _ = try world.send(store)
    let connection = try #require(TestServer.shared).connect()
    let rows = try connection.run(
      "SELECT tags->>0, jsonb_typeof(parts), pg_typeof(sheet)::text FROM \"\(world.options.schema)\".thing ORDER BY _id"
    )
    #expect(rows.text(0, 0) == "a" && rows.text(0, 1) == "array")
    // The file's model does not tell what these bytes are.
    #expect(rows.text(0, 2) == "bytea")
    let opened = try TestEngine.postgreSQL.container(Schema([Thing.self]), world.folder)
    let read = try ModelContext(opened).fetch(FetchDescriptor<Thing>(sortBy: [SortDescriptor(\.number)]))
    try #require(read.count == 2)
    JSONColumnTests.expectEqual(read[0], thing)
    let back = try world.fetch()
    defer { back.store.close() }
    let difference = difference(try TransferWorld.dump(store), try TransferWorld.dump(back.store))
    #expect(difference == nil, "\(difference ?? "")")
  }

  @Test("A store's JSON becomes bytes of a file that the same classes read")
  func fromServer() throws {
    let world = try TransferWorld()
    let thing = try JSONColumnTests.filled(1)
    let context = ModelContext(try TestEngine.postgreSQL.container(Schema([Thing.self]), world.folder))
    context.insert(thing)
    try context.save()
    let back = try world.fetch()
    let url = try #require(back.store.url)
    back.store.close()
    let container = try ModelContainer(for: Schema([Thing.self]), configurations: ModelConfiguration(url: url))
    let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Thing>()).first)
    JSONColumnTests.expectEqual(read, thing)
  }
}

import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("Connections that are cut at every message of a save", TestServer.condition)
struct CutConnectionTests {
  @Model final class Shelf {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Volume.shelf) var volumes: [Volume] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Volume {
    var title: String
    var shelf: Shelf?
    init(_ title: String) { self.title = title }
  }

  let store: TemporaryStore
  let server: TestServer
  let proxy: CuttingProxy
  let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    server = try #require(TestServer.shared)
    proxy = try CuttingProxy(to: server.folder)
    let configuration = PostgreSQLConfiguration(
      "postgresql://app@/postgres?host=\(proxy.folder)", databaseSchema: store.databaseSchema, connectionLimit: 4)
    container = try ModelContainer(for: Schema([Shelf.self]), configurations: [configuration])
  }

  @Test("The save is done exactly once, whatever the server has got", arguments: CuttingProxy.Cut.allCases)
  func saves(_ cut: CuttingProxy.Cut) throws {
    let connection = try server.connect()
    func number(_ sql: String) throws -> Int64 { try connection.run(sql).integer(0, 0) }
    let schema = store.databaseSchema
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let shelf = Shelf("0")
    context.insert(shelf)
    let first = Volume("first")
    first.shelf = shelf
    context.insert(first)
    try context.save()

    var messages = 0
    var volumes: Int64 = 1
    while true {
      let before = try number("SELECT last_transaction FROM \(schema)._store")
      // One changed row, two new rows with a link, one deleted row.
      shelf.name = "\(messages)"
      let old = try #require(shelf.volumes.first)
      context.delete(old)
      for title in ["a", "b"] {
        let volume = Volume("\(title)\(messages)")
        volume.shelf = shelf
        context.insert(volume)
      }
      proxy.cut(after: messages, cut)
      try context.save()
      let hasCut = proxy.stop()
      volumes += 1
      #expect(try number("SELECT last_transaction FROM \(schema)._store") == before + 1, "message \(messages)")
      #expect(try number("SELECT count(*) FROM \(schema).volume") == volumes, "message \(messages)")
      #expect(try number("SELECT count(*) FROM \(schema).shelf WHERE name = '\(messages)'") == 1)
      #expect(try number("SELECT count(*) FROM \(schema).volume WHERE title LIKE '_\(messages)'") == 2)
      #expect(!context.hasChanges)
      guard hasCut else { break }
      messages += 1
    }
    // A save has more messages than its beginning and its end.
    #expect(messages > 10)
    let objects = try ModelContext(container).fetch(FetchDescriptor<Volume>())
    #expect(Set(objects.map(\.persistentModelID)) == Set(shelf.volumes.map(\.persistentModelID)))
  }
}

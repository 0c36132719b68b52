import CoreDataStore
import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreTransfer
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("Servers and databases that no store can be in", TestServer.condition)
struct UnusableServerTests {
  @Model final class Book {
    var title: String
    init(_ title: String) { self.title = title }
  }

  /// What asks a server whether it can have a store.
  enum Request: CaseIterable {
    case opening, openingForReading, migrationPreview, migration, copyToServer, copyFromServer
  }

  let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  private func run(_ request: Request, _ address: String) throws {
    let schema = Schema([Book.self])
    var options = ServerOptions()
    options.schema = store.databaseSchema
    func configuration(allowsSave: Bool = true) -> PostgreSQLConfiguration {
      PostgreSQLConfiguration(address, allowsSave: allowsSave, databaseSchema: options.schema)
    }
    switch request {
    case .opening, .openingForReading:
      _ = try ModelContainer(for: schema, configurations: [configuration(allowsSave: request == .opening)])
    case .migrationPreview: _ = try configuration().migrationPreview(for: schema)
    case .migration: _ = try ServerMigrator(address, options: options).migrate({ _ in [] }, progress: { _ in })
    case .copyToServer:
      let file = try PersistentStore.open(
        at: store.url, model: ModelDescription(entities: [EntityDescription(name: "Book", properties: [])]))
      _ = try StoreTransfer.copy(file, toServer: address, options: options)
    case .copyFromServer: _ = try StoreTransfer.copy(fromServer: address, options: options, to: store.url)
    }
  }

  private func expectRefusal(_ request: Request, _ address: String, _ parts: [String]) throws {
    let error = #expect(throws: (any Error).self) { try run(request, address) }
    let message = "\(try #require(error))"
    for part in parts { #expect(message.contains(part), "“\(part)” is missing: \(message)") }
    #expect(!message.contains("geheim"), "\(message)")
  }

  @Test("A server that is too old is refused with its address and the way out", arguments: Request.allCases)
  func oldServer(_ request: Request) throws {
    let server = try FakeServer(version: "13.12")
    try withExtendedLifetime(server) {
      try expectRefusal(
        request, server.address,
        ["database library on \(server.folder) as app", "the server has version 13", "use PostgreSQL 14 or later"])
    }
  }

  @Test("A database whose texts are not in UTF-8 is refused with its address and the way out, and nothing is made")
  func latinDatabase() throws {
    let server = try TestServer.required()
    let name = store.databaseSchema
    try server.withDatabase(name, "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'") {
      let address = server.address(ofDatabase: name, password: "geheim")
      for request in Request.allCases {
        try expectRefusal(
          request, address,
          [
            "database \(name) on \(server.folder) as app", "the encoding LATIN1",
            "make a database with ENCODING 'UTF8'",
          ])
      }
      let schemas = try Connection(ServerAddress(address)).run(
        "SELECT 1 FROM pg_namespace WHERE nspname = $1", [.text(store.databaseSchema)])
      #expect(schemas.rowCount == 0)
    }
  }
}

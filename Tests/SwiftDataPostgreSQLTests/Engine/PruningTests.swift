import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import Testing

@testable import PostgreSQLStore

@Suite("The removal of a long history", TestServer.condition)
struct PruningTests {
  @Test("Old transactions go in parts, each in a transaction of its own, up to the first that a reader needs")
  func parts() throws {
    let store = try EngineStore([EntityDescription(name: "Item", properties: [.attribute("number", .integer64)])])
    let count = ServerStore.pruningSize * 2 + 500
    try store.execute(
      """
      INSERT INTO $_store_transactions (number, committed)
        SELECT g, now() - interval '30 days' FROM generate_series(1, \(count)) g;
      INSERT INTO $_store_changes (transaction, kind, entity, key)
        SELECT g, 0, 'Item', 1 FROM generate_series(1, \(count)) g;
      UPDATE $_store SET last_transaction = \(count)
      """)
    try store.insert("Item", [["number": .integer(1)]])
    func prune() throws -> Int {
      let statements = try store.statements {
        try store.store.pruneHistory(before: Date(timeIntervalSinceNow: -86_400))
      }
      #expect(statements.filter { $0 == "COMMIT" }.count == statements.filter { $0.hasPrefix("DELETE") }.count)
      return statements.filter { $0.hasPrefix("DELETE") }.count
    }
    func first() throws -> [String] { try store.column("SELECT min(number)::text FROM $_store_transactions") }
    let needed = Int64(ServerStore.pruningSize + 200)
    #expect(try store.store.keepHistory(after: needed, for: "reader"))
    #expect(try prune() == 2)
    #expect(try first() == ["\(needed + 1)"])
    #expect(try store.store.keepHistory(after: nil, for: "reader"))
    #expect(try prune() == 2)
    #expect(try first() == ["\(count + 1)"])
    #expect(try store.column("SELECT DISTINCT transaction::text FROM $_store_changes") == ["\(count + 1)"])
    #expect(try prune() == 0)
  }
}

import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
@testable import PostgreSQLStore
import StoreRequests
import Synchronization
import TestSupport
import Testing

@Suite("Saves of a PostgreSQL store", TestServer.condition)
struct SavingTests {
  private static let account = EntityDescription(
    name: "Account",
    properties: [.attribute("name", .string), .attribute("amount", .integer64), .attribute("photo", .binary)],
    uniquenessConstraints: [["name"]])

  @Test("Nobody deletes the row that an insertion will overwrite")
  func upsertLock() throws {
    let store = try EngineStore([Self.account])
    try store.insert("Account", [["name": .text("a"), "amount": .integer(1)]])
    let schema = store.schema
    let refusal = Mutex<SQLState?>(nil)
    let result = try store.interrupting("UPDATE \"\(schema)\".\"account\"") { other in
      // The other program waits for the row until the save has ended.
      do {
        try other.execute("SET lock_timeout = '100ms'; DELETE FROM \(schema).account")
      } catch let error as PostgreSQLError { refusal.withLock { $0 = error.state } }
    } _: {
      try store.insert("Account", [["name": .text("a"), "amount": .integer(2)]])
    }
    #expect(refusal.withLock { $0 } == "55P03")
    #expect(result.merged.count == 1)
    let rows = try store.connect().run("SELECT amount FROM \(schema).account")
    #expect(rows.rowCount == 1 && rows.integer(0, 0) == 2)
  }

  @Test("An insertion that should overwrite a row, and writes none, is a conflict and not a success")
  func lostUpsert() throws {
    let store = try EngineStore([Self.account])
    try store.insert("Account", [["name": .text("a"), "amount": .integer(1)]])
    // A trigger of the database's administrator that suppresses updates.
    try store.connect().execute(
      """
      CREATE FUNCTION \(store.schema).refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER refuse BEFORE UPDATE ON \(store.schema).account FOR EACH ROW EXECUTE FUNCTION \(store.schema).refuse()
      """)
    let error = #expect(throws: SaveError.self) {
      try store.insert("Account", [["name": .text("a"), "amount": .integer(2)], ["name": .text("b")]])
    }
    guard case .conflicts(let conflicts)? = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(conflicts.map(\.entityName) == ["Account"])
    #expect(try store.connect().run("SELECT 1 FROM \(store.schema).account").rowCount == 1)
  }

  @Test("Insertions find the row with equal unique values, in whichever form the server has the values")
  func equalForms() throws {
    let entity = EntityDescription(
      name: "Number",
      properties: [.attribute("ratio", .double), .attribute("price", .decimal), .attribute("n", .integer64)],
      uniquenessConstraints: [["ratio"], ["price"]])
    let store = try EngineStore([entity])
    try store.insert("Number", [["ratio": .real(-0.0), "n": .integer(1)]])
    let merged = try store.insert(
      "Number", [["ratio": .real(0), "n": .integer(2)], ["ratio": .real(3), "n": .integer(3)]])
    #expect(merged.merged.map(\.insertion) == [0])
    let both = try store.insert("Number", [["ratio": .real(5)], ["ratio": .real(0)], ["ratio": .real(-0.0)]])
    #expect(both.merged.map(\.insertion) == [1, 2])
    let connection = try store.connect()
    try connection.execute("INSERT INTO \(store.schema).number (price, n) VALUES (1.00, 4)")
    let third = try store.insert("Number", [["price": .integer(1), "n": .integer(5)]])
    #expect(third.merged.map(\.insertion) == [0])
    #expect(try connection.run("SELECT 1 FROM \(store.schema).number WHERE n = 5").rowCount == 1)
    #expect(try connection.run("SELECT 1 FROM \(store.schema).number").rowCount == 4)
  }

  @Test("A statement carries a bounded number of bytes, whatever the number of rows")
  func bytes() throws {
    let store = try EngineStore([Self.account])
    let photo = Data(repeating: 7, count: 4 << 20)
    let statements = try store.statements {
      try store.insert("Account", (0..<12).map { ["name": .text("\($0)"), "photo": .blob(photo)] })
    }
    #expect(statements.filter { $0.hasPrefix("INSERT INTO \"\(store.schema)\".\"account\"") }.count > 2)
    let rows = try store.connect().run("SELECT count(*), min(length(photo))::bigint FROM \(store.schema).account")
    #expect(rows.integer(0, 0) == 12 && rows.integer(0, 1) == Int64(photo.count))
  }

  @Test("A store in a schema with a long name tells others of its saves", arguments: ["é", "漢", "x", "\u{1F980}"])
  func longSchema(letter: String) throws {
    let size = letter.utf8.count
    // Names as long as the server allows, which differ at the end only.
    let start = "s" + UUID().uuidString.prefix(8).lowercased()
    let count = (Identifier.longestName - start.utf8.count - 1) / size
    let names = ["a", "b"].map { start + String(repeating: letter, count: count) + $0 }
    let stores = try names.map { try EngineStore([Self.account], schema: $0) }
    defer { for name in names { _ = try? stores[0].connect().execute("DROP SCHEMA \(Identifier(name)) CASCADE") } }
    let connection = try stores[0].connect()
    let channels = try stores.map { store in
      let statements = try store.statements { try store.insert("Account", [["name": .text("a")]]) }
      #expect(statements.contains { $0.contains("pg_notify") })
      return NotificationChannel.name(schema: store.schema)
    }
    #expect(Set(channels).count == 2 && channels.allSatisfy { $0.utf8.count <= Identifier.longestName })
    try connection.execute("LISTEN \(Identifier(channels[1]))")
    try stores[0].insert("Account", [["name": .text("b")]])
    try stores[1].insert("Account", [["name": .text("b")]])
    #expect(try connection.notifications(waiting: 30) == ["2"])
  }

  @Test("History reads transactions and changes of one state")
  func historySnapshot() throws {
    let store = try EngineStore([Self.account])
    try store.insert("Account", [["name": .text("a")]])
    let schema = store.schema
    let history = try store.interrupting("SELECT number, transaction, kind") { other in
      try other.execute("DELETE FROM \(schema)._store_transactions")
    } _: {
      try store.store.history(HistoryRequest())
    }
    #expect(try history.next()?.number == 1)
    #expect(try history.nextChange()?.kind == .insert)
    #expect(try history.next() == nil)
  }
}

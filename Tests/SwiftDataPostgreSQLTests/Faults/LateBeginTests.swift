import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// A transaction's `BEGIN` travels with its first statement, so that a save takes one round trip less.
@Suite("BEGIN with the first statement", TestServer.condition)
struct LateBeginTests {
  @Model final class Entry {
    var number: Int
    init(_ number: Int) { self.number = number }
  }

  private let server: TestServer
  private let proxy: CuttingProxy
  private let address: String
  private let connection: Connection

  init() throws {
    server = try #require(TestServer.shared)
    proxy = try CuttingProxy(to: server.folder)
    address = server.address.replacing(server.folder, with: proxy.folder)
    connection = try Connection(ServerAddress(address))
  }

  private func roundTrips(_ body: () throws -> Void) rethrows -> Int {
    let before = proxy.roundTrips
    try body()
    return proxy.roundTrips - before
  }

  @Test("A transaction of one statement takes two round trips, also if the caller works meanwhile")
  func statements() throws {
    func count(beginsLate: Bool) throws -> Int {
      try roundTrips {
        try connection.transaction(beginsLate: beginsLate) {
          #expect(connection.isInTransaction)
          let result = try connection.run("SELECT $1::bigint", [.integer(7)])
          #expect(result.integer(0, 0) == 7)
          #expect(connection.beginWasAnswered)
        }
      }
    }
    // The statement is prepared when it runs for the second time, after a BEGIN of its own.
    for _ in 0..<2 { _ = try count(beginsLate: true) }
    #expect(try count(beginsLate: true) == 2)
    #expect(try count(beginsLate: false) == 3)
    let working = try roundTrips {
      try connection.transaction(beginsLate: true) {
        let (result, value) = try connection.run("SELECT $1::bigint", [.integer(8)]) { "made" }
        #expect(result.integer(0, 0) == 8 && value == "made")
      }
    }
    #expect(working == 2 && !connection.isInTransaction)
  }

  @Test("A statement that is to run with the next one takes no round trip, and its error is the next one's")
  func statementsWithNext() throws {
    func count(_ sql: String) throws -> Int {
      try roundTrips {
        try connection.transaction(beginsLate: true) {
          try connection.runWithNext(sql)
          #expect(try connection.run("SELECT $1::bigint", [.integer(7)]).integer(0, 0) == 7)
        }
      }
    }
    for _ in 0..<2 { _ = try count("SELECT 1") }
    #expect(try count("SELECT 1") == 2)
    let error = #expect(throws: PostgreSQLError.self) { try count("SELECT 1 / 0") }
    #expect(error.map { "\($0)" }?.contains("division by zero") == true)
    // The connection is as before.
    #expect(try !connection.isInTransaction && count("SELECT 1") == 2)
    try connection.transaction {
      try connection.runWithNext("CREATE TEMPORARY TABLE next (number bigint) ON COMMIT DROP")
      try connection.execute("INSERT INTO next VALUES (1)")
      try connection.runWithNext("INSERT INTO next VALUES (2)")
      #expect(try connection.run("SELECT count(*) FROM next").integer(0, 0) == 2)
    }
  }

  @Test(
    "A closure without a statement sends nothing; statements without placeholders, and prepared anew, come after BEGIN"
  )
  func otherStatements() throws {
    let none = try roundTrips { try connection.transaction(beginsLate: true) {} }
    #expect(none == 0)
    #expect(!connection.isInTransaction)
    try connection.transaction(beginsLate: true) {
      try connection.execute("CREATE TEMPORARY TABLE late (number bigint) ON COMMIT DROP")
      for number in 0..<3 {
        _ = try connection.run("INSERT INTO late VALUES ($1)", [.integer(Int64(number))])
      }
      #expect(try connection.run("SELECT count(*) FROM late").integer(0, 0) == 3)
    }
    #expect(throws: PostgreSQLError.self) { try connection.run("SELECT count(*) FROM late") }
    try connection.transaction(beginsLate: true) {
      try connection.ask("SELECT 1::bigint")
      #expect(try connection.answer(to: "SELECT 1::bigint").integer(0, 0) == 1)
      connection.endPipeline()
      #expect(connection.isInTransaction)
    }
  }

  @Test(
    "An error of the first statement, of BEGIN, or of the values is thrown, and the connection goes on outside a transaction"
  )
  func errors() throws {
    for _ in 0..<3 {
      let first = #expect(throws: PostgreSQLError.self) {
        try connection.transaction(beginsLate: true) {
          _ = try connection.run("SELECT 1 / $1::bigint", [.integer(0)])
        }
      }
      #expect(first?.state == "22012" && first?.statement?.hasPrefix("SELECT 1 /") == true)
      let begin = #expect(throws: PostgreSQLError.self) {
        try connection.transaction("BEGIN NOTHING", beginsLate: true) {
          _ = try connection.run("SELECT $1::bigint", [.integer(1)]) { 1 }
        }
      }
      #expect(begin?.statement == "BEGIN NOTHING" && !connection.beginWasAnswered)
      let values = #expect(throws: PostgreSQLError.self) {
        try connection.transaction(beginsLate: true) {
          _ = try connection.run("SELECT 1", [Parameter](repeating: .integer(1), count: 70_000))
        }
      }
      #expect(values?.message.contains("more values than the protocol can carry") == true)
      #expect(connection.isUsable && !connection.isInTransaction)
      #expect(try connection.run("SELECT $1::bigint", [.integer(5)]).integer(0, 0) == 5)
    }
  }

  @Test("A new object is saved in three round trips, a changed one too", arguments: [1, 5])
  func saves(count: Int) throws {
    let store = try TemporaryStore()
    let context = ModelContext(
      try ModelContainer(
        for: Entry.self,
        configurations: PostgreSQLConfiguration(address, databaseSchema: store.databaseSchema)))
    context.autosaveEnabled = false
    var made: [Entry] = []
    var inserting: [Int] = []
    var changing: [Int] = []
    for round in 0..<4 {
      made = (0..<count).map { Entry($0) }
      for entry in made { context.insert(entry) }
      inserting.append(try roundTrips { try context.save() })
      for entry in made { entry.number = 100 + round }
      changing.append(try roundTrips { try context.save() })
    }
    #expect(inserting.last == 3 && changing.last == 3, "\(inserting) \(changing)")
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Entry>()) == 4 * count)
  }

  @Test("Idle connections that the server has closed cost a save nothing but a new connection")
  func closedConnections() throws {
    let store = try TemporaryStore()
    let context = ModelContext(
      try ModelContainer(
        for: Entry.self,
        configurations: PostgreSQLConfiguration(address, databaseSchema: store.databaseSchema)))
    for number in 0..<3 {
      try server.connect().execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%\(store.databaseSchema)%' AND state = 'idle' AND pid <> pg_backend_pid()"
      )
      context.insert(Entry(number))
      try context.save()
    }
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Entry>()) == 3)
  }
}

import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import Synchronization
import TestSupport
import Testing

@testable import SwiftDataPostgreSQL

/// Each statement but `BEGIN` and the locks of a save is a round trip; see `LateBeginTests`. `server-benchmark` counts those of the same work written by hand.
@Suite("Round trips of small requests", TestServer.condition)
struct RoundTripTests {
  @Model final class Entry {
    #Index<Entry>([\.code])
    var code: String
    var number: Int
    init(_ number: Int) {
      code = "code-\(number)"
      self.number = number
    }
  }

  @Model final class Account {
    @Attribute(.unique) var name: String
    var balance: Int = 0
    init(_ name: String) { self.name = name }
  }

  let store: TemporaryStore
  let context: ModelContext
  private let statements = Statements()

  private final class Statements: Sendable {
    private let seen = Mutex<[String]>([])
    func add(_ sql: String) {
      if !sql.hasPrefix("SELECT pg_advisory_xact_lock") { seen.withLock { $0.append(sql) } }
    }

    /// The statements that a closure runs.
    func of(_ body: () throws -> Void) rethrows -> [String] {
      seen.withLock { $0 = [] }
      try body()
      return seen.withLock { $0 }
    }
  }

  init() throws {
    store = try TemporaryStore()
    var configuration = PostgreSQLConfiguration(
      try #require(TestServer.shared).address, databaseSchema: store.databaseSchema, connectionLimit: 2)
    configuration.log = { [statements] in statements.add($0) }
    context = ModelContext(
      try ModelContainer(for: Schema([Entry.self, Account.self]), configurations: [configuration]))
    context.autosaveEnabled = false
    // Statements are prepared when they run for the second time, and keys are taken many at once.
    for number in 0..<3 {
      context.insert(Entry(number))
      context.insert(Account("\(number)"))
      try context.save()
      _ = try entries(number)
    }
  }

  private func entries(_ number: Int) throws -> [Entry] {
    let code = "code-\(number)"
    return try context.fetch(FetchDescriptor<Entry>(predicate: #Predicate { $0.code == code }))
  }

  private func isHandingOutKeys(_ statement: String) -> Bool { statement.contains("nextval(") }

  @Test("A fetch of one object, and a count, send one statement each")
  func fetches() throws {
    for number in 0..<3 {
      var found: [Entry] = []
      let sent = try statements.of { found = try entries(number) }
      #expect(found.map(\.number) == [number])
      #expect(sent.count == 1 && sent[0].hasPrefix("SELECT"), "\(sent)")
    }
    let counting = try statements.of { _ = try context.fetchCount(FetchDescriptor<Entry>()) }
    #expect(counting.count == 1, "\(counting)")
  }

  @Test("An insertion, an update and a deletion are saved by five statements at most, and by no statement for keys")
  func saves() throws {
    for number in 10..<15 {
      let entry = Entry(number)
      context.insert(entry)
      let inserting = try statements.of { try context.save() }
      #expect(inserting.count <= 5 && !inserting.contains(where: isHandingOutKeys), "\(inserting)")
      #expect(inserting.first?.hasPrefix("BEGIN") == true && inserting.last == "COMMIT", "\(inserting)")
      #expect(inserting.count { $0.hasPrefix("INSERT") } == 1, "\(inserting)")
      entry.number += 100
      let updating = try statements.of { try context.save() }
      #expect(updating.count <= 5 && updating.contains { $0.hasPrefix("UPDATE") }, "\(updating)")
      context.delete(entry)
      let deleting = try statements.of { try context.save() }
      #expect(deleting.count <= 5 && deleting.contains { $0.hasPrefix("DELETE") }, "\(deleting)")
    }
    #expect(try context.fetchCount(FetchDescriptor<Entry>()) == 3)
  }

  @Test("Many new objects take as few statements as one")
  func manyObjects() throws {
    context.insert(Entry(20))
    let one = try statements.of { try context.save() }
    // Fewer than the keys that are at hand.
    for number in 21..<31 { context.insert(Entry(number)) }
    let ten = try statements.of { try context.save() }
    #expect(ten.count == one.count, "\(ten)")
    // The keys of a big save are taken by one statement more.
    for number in 100..<600 { context.insert(Entry(number)) }
    let many = try statements.of { try context.save() }
    #expect(many.count == one.count + 1 && many.count(where: isHandingOutKeys) == 1, "\(many)")
  }

  @Test("The same change of several objects takes as few statements as one, and locks their rows")
  func severalUpdates() throws {
    let entries = try context.fetch(FetchDescriptor<Entry>())
    try #require(entries.count == 3)
    entries[0].number = 100
    let one = try statements.of { try context.save() }
    for entry in entries { entry.number += 10 }
    let three = try statements.of { try context.save() }
    #expect(three.count == one.count, "\(three)")
    #expect(three.count { $0.contains("FOR NO KEY UPDATE") } == 1, "\(three)")
    // Two changes of different properties are two updates, and one statement locks before them.
    entries[0].number = 1
    entries[1].code = "changed"
    let different = try statements.of { try context.save() }
    #expect(different.count == one.count + 2, "\(different)")
    #expect(different.count { $0.contains("FOR NO KEY UPDATE") } == 1, "\(different)")
  }

  @Test("An update that locks its rows joins each with its own values only, whatever plan the server takes")
  func planOfUpdate() throws {
    for number in 1000..<3000 { context.insert(Entry(number)) }
    try context.save()
    let entries = try context.fetch(FetchDescriptor<Entry>(predicate: #Predicate { $0.number < 1100 }))
    for entry in entries { entry.number += 1 }
    let update = try #require(try statements.of { try context.save() }.first { $0.contains("FOR NO KEY UPDATE") })
    let connection = try #require(TestServer.shared).connect()
    try connection.execute("ANALYZE \"\(store.databaseSchema)\".entry; SET plan_cache_mode = force_generic_plan")
    try connection.execute("PREPARE locking AS \(update)")
    let placeholders = Set(update.matches(of: #/\$\d+/#).map { String($0.output) })
    let values = [String](repeating: "NULL", count: placeholders.count)
    let plan = try connection.execute("EXPLAIN EXECUTE locking (\(values.joined(separator: ", ")))")
    let lines = (0..<plan.rowCount).compactMap { plan.text($0, 0) }
    #expect(lines.contains { $0.contains("LockRows") }, "\(lines)")
    #expect(!lines.contains { $0.contains("Join Filter") && $0.contains("_id") }, "\(lines)")
  }

  @Test("An object with a unique value takes at most one statement more, which looks for its row")
  func upserts() throws {
    context.insert(Account("new"))
    let inserting = try statements.of { try context.save() }
    #expect(inserting.count <= 5 && !inserting.contains(where: isHandingOutKeys), "\(inserting)")
    let again = Account("new")
    again.balance = 7
    context.insert(again)
    let overwriting = try statements.of { try context.save() }
    #expect(overwriting.count <= 6 && !overwriting.contains(where: isHandingOutKeys), "\(overwriting)")
    let found = try ModelContext(context.container).fetch(FetchDescriptor<Account>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.balance) == [0, 0, 0, 7])
  }

  @Test("A save without changes, and an object that the context has, send no statement")
  func nothing() throws {
    let entry = try #require(try entries(1).first)
    #expect(try statements.of { try context.save() }.isEmpty)
    let known = statements.of { _ = context.model(for: entry.persistentModelID) }
    #expect(known.isEmpty, "\(known)")
  }
}

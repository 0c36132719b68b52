import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("Saves of several writers to a PostgreSQL store", TestServer.condition)
struct ConflictTests {
  @Model final class Account {
    @Attribute(.unique) var name: String
    var amount: Int = 0
    @Relationship(deleteRule: .cascade, inverse: \Entry.account) var entries: [Entry] = []
    @Relationship(deleteRule: .deny, inverse: \Lock.account) var locks: [Lock] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Entry {
    var text: String
    var account: Account?

    init(_ text: String, _ account: Account?) {
      self.text = text
      self.account = account
    }
  }

  @Model final class Lock {
    var account: Account?
    init(_ account: Account?) { self.account = account }
  }

  let store: TemporaryStore
  let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.postgreSQL.container(Schema([Account.self]), store)
  }

  private func account(_ name: String, in context: ModelContext) throws -> Account {
    try #require(try context.fetch(FetchDescriptor<Account>(predicate: #Predicate { $0.name == name })).first)
  }

  private func makeAccount(_ name: String = "a") throws {
    let context = ModelContext(container)
    context.insert(Account(name))
    try context.save()
  }

  @Test("Under the strict policy, a change of a row that somebody else changed throws and writes nothing")
  func conflict() throws {
    try makeAccount()
    let (one, other) = (ModelContext(container), ModelContext(try again()))
    for context in [one, other] { context.conflictPolicy = .fail }
    let (first, second) = try (account("a", in: one), account("a", in: other))
    first.amount = 1
    second.amount = 2
    other.insert(Entry("lost", second))
    try one.save()
    #expect(throws: SwiftDataError.saveConflict) { try other.save() }
    let fresh = ModelContext(container)
    #expect(try account("a", in: fresh).amount == 1)
    #expect(try fresh.fetchCount(FetchDescriptor<Entry>()) == 0)
    other.rollback()
    try account("a", in: other).amount = 3
    try other.save()
    #expect(try account("a", in: ModelContext(container)).amount == 3)
  }

  /// A second container of the same store, as another process has.
  private func again() throws -> ModelContainer {
    try TestEngine.postgreSQL.container(Schema([Account.self]), store)
  }

  @Test("Two containers open one store at the same time, and make its tables once")
  func simultaneousOpening() async throws {
    let store = try TemporaryStore()
    let identifiers = try await withThrowingTaskGroup(of: PersistentIdentifier.self) { group in
      for number in 0..<4 {
        group.addTask {
          let container = try TestEngine.postgreSQL.container(Schema([Account.self]), store)
          let context = ModelContext(container)
          let account = Account("\(number)")
          context.insert(account)
          try context.save()
          return account.persistentModelID
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(identifiers.compactMap(\.storeIdentifier)).count == 1 && Set(identifiers).count == 4)
  }

  @Test("An object with the unique values of another becomes that object, also if both are saved at the same time")
  func upserts() async throws {
    try makeAccount()
    let containers = [container, try again(), try again()]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, container) in containers.enumerated() {
        group.addTask {
          for round in 0..<20 {
            let context = ModelContext(container)
            for name in ["a", "new \(round)"] {
              let account = Account(name)
              account.amount = number
              context.insert(account)
            }
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Account>()) == 21)
  }

  @Test("Unique values are exchanged within a save, and a duplicate is refused in the model's words")
  func unique() throws {
    try makeAccount("a")
    try makeAccount("b")
    let context = ModelContext(container)
    let (a, b) = try (account("a", in: context), account("b", in: context))
    (a.name, b.name) = ("b", "a")
    try context.save()
    a.name = "a"
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    let text = "\(try #require(error))"
    #expect(text.contains("Account.name of ") && text.contains("must be unique") && text.contains("Nothing was saved"))
  }

  @Test("Many writers count without losing a save")
  func counting() async throws {
    try makeAccount()
    let containers = [container, try again(), try again(), try again()]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for container in containers {
        group.addTask {
          for _ in 0..<25 {
            while true {
              let context = ModelContext(container)
              context.conflictPolicy = .fail
              guard let account = try context.fetch(FetchDescriptor<Account>()).first else { return }
              account.amount += 1
              context.insert(Entry("\(account.amount)", account))
              do {
                try context.save()
                break
              } catch SwiftDataError.saveConflict { continue }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let fresh = ModelContext(container)
    #expect(try account("a", in: fresh).amount == 100)
    #expect(try fresh.fetchCount(FetchDescriptor<Entry>()) == 100)
  }

  @Test("The server carries out the delete rules for other programs, too")
  func foreignDeletes() throws {
    try makeAccount("a")
    try makeAccount("b")
    let context = ModelContext(container)
    let (a, b) = try (account("a", in: context), account("b", in: context))
    context.insert(Entry("1", a))
    context.insert(Lock(b))
    try context.save()
    let connection = try #require(TestServer.shared).connect()
    try connection.execute("DELETE FROM \(store.databaseSchema).account WHERE name = 'a'")
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Entry>()) == 0)
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.execute("DELETE FROM \(store.databaseSchema).account WHERE name = 'b'")
    }
    #expect(error?.state == .foreignKeyViolation)
  }

  @Test("A lost connection is made again for the next request")
  func lostConnection() throws {
    try makeAccount()
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<Account>()) == 1)
    let connection = try #require(TestServer.shared).connect()
    func cut() throws {
      // Ends the connections whose last statement was about this store, or the end of a save.
      _ = try connection.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE $1",
        [.text("%\(store.databaseSchema)%")])
    }
    try cut()
    #expect(try context.fetchCount(FetchDescriptor<Account>()) == 1)
    let account = try account("a", in: context)
    try cut()
    account.amount = 7
    try context.save()
    #expect(try self.account("a", in: ModelContext(container)).amount == 7)
  }
}

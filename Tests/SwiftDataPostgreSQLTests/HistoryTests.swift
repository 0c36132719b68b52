import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import SwiftDataPostgreSQL
import TestSupport
import Testing

@testable import SwiftData

@Suite("The history of a PostgreSQL store", TestServer.condition)
struct HistoryTests {
  @Model final class Note {
    @Attribute(.unique) var name: String
    @Attribute(.preserveValueOnDeletion) var code: Int = 0
    var text: String?

    init(_ name: String) { self.name = name }
  }

  let store: TemporaryStore
  let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try Self.open(store)
  }

  private static func open(_ store: TemporaryStore) throws -> ModelContainer {
    try TestEngine.postgreSQL.container(Schema([Note.self]), store)
  }

  private func transactions(after token: DefaultHistoryToken? = nil) throws -> [DefaultHistoryTransaction] {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token { descriptor.predicate = #Predicate { $0.token > token } }
    return try ModelContext(container).fetchHistory(descriptor)
  }

  @Model final class Lamp {
    var watts: Int
    init(_ watts: Int) { self.watts = watts }
  }

  @Test("A request for the changes of some entities has no transactions of others")
  func entities() throws {
    let folder = try TemporaryStore()
    let container = try TestEngine.postgreSQL.container(Schema([Note.self, Lamp.self]), folder)
    // The first change has the number of its transaction.
    for model in [Note("a"), Lamp(40), Note("b")] as [any PersistentModel] {
      let context = ModelContext(container)
      context.insert(model)
      try context.save()
    }
    let store = container.core.stores[0]
    let engine = try #require(store.engine as? any HistoryEngine)
    for (name, expected) in [("Note", [1, 3]), ("Lamp", [2])] {
      var request = HistoryRequest(after: 0)
      request.entities = [try #require(engine.entities.entity(named: name)?.number)]
      let history: any HistoryRows = try engine.history(request)
      defer { history.close() }
      var numbers: [Int64] = []
      while let transaction = try history.next() { numbers.append(transaction.number) }
      #expect(numbers == expected.map { Int64($0) }, "\(name)")
    }
  }

  @Test("Each save is a transaction with its changes, properties, author and preserved values")
  func changes() throws {
    let context = ModelContext(container)
    context.author = "me"
    let note = Note("a")
    note.code = 7
    context.insert(note)
    context.insert(Note("b"))
    try context.save()
    note.text = "x"
    let merged = Note("b")
    merged.text = "y"
    context.insert(merged)
    try context.save()
    context.delete(note)
    try context.save()
    let all = try transactions()
    #expect(all.count == 3 && all.allSatisfy { $0.author == "me" })
    #expect(all[0].changes.count == 2 && all[1].changes.count == 2 && all[2].changes.count == 1)
    guard case .update(let update) = all[1].changes[0], let own = update as? DefaultHistoryUpdate<Note>,
      case .delete(let delete) = all[2].changes[0], let gone = delete as? DefaultHistoryDelete<Note>
    else {
      Issue.record("other kinds of changes: \(all)")
      return
    }
    #expect(own.updatedAttributes.contains(\Note.text) && !own.updatedAttributes.contains(\Note.name))
    #expect(gone.tombstone[\Note.code] as? Int == 7)
    #expect(try transactions(after: all[0].token).count == 2)
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(try transactions().isEmpty)
    context.insert(Note("c"))
    try context.save()
    let last = try transactions()
    #expect(last.count == 1 && last[0].token > all[2].token)
  }

  @Test("A save that fails leaves no transaction")
  func failure() throws {
    let context = ModelContext(container)
    context.insert(Note("a\0"))
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(try transactions().isEmpty)
  }

  @Test("The saves of another container reach the contexts of this one")
  func live() async throws {
    let context = ModelContext(container)
    let note = Note("a")
    context.insert(note)
    try context.save()
    #expect(note.text == nil)
    let (signs, continuation) = AsyncStream.makeStream(of: Void.self)
    // The notification would start the observation of every container of the process.
    let registration = container.core.remoteChanges.listen { _ in continuation.yield() }
    defer { withExtendedLifetime(registration) {} }
    let other = try Self.open(store)
    let writing = ModelContext(other)
    try #require(try writing.fetch(FetchDescriptor<Note>()).first).text = "new"
    try writing.save()
    for await _ in signs where try context.fetch(FetchDescriptor<Note>()).first?.text == "new" { break }
    #expect(try context.fetch(FetchDescriptor<Note>()).first?.text == "new")
  }

  @Test("Transactions are numbered without gaps in the order of commits, whoever writes")
  func order() async throws {
    let containers = [container, try Self.open(store), try Self.open(store)]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, container) in containers.enumerated() {
        group.addTask {
          for round in 0..<15 {
            let context = ModelContext(container)
            context.insert(Note("\(number) \(round)"))
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    let all = try transactions()
    #expect(all.map(\.transactionIdentifier) == (1...45).map { Int64($0) })
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.timestamp <= $1.timestamp })
  }
}

import Foundation
import SwiftData
import TestSupport
import Testing

/// A custom store's history is fetched and deleted through a context.
@Suite struct CustomHistoryTests {
  @Test func `A context fetches and deletes the transactions of a custom store in the store's own type`() throws {
    let container = try ModelContainer(for: LedgerItem.self, configurations: LedgerConfiguration())
    let context = ModelContext(container)
    for (author, title) in [("a", "1"), ("b", "2"), ("a", "3")] {
      context.author = author
      context.insert(LedgerItem(title: title))
      try context.save()
    }
    let item = try #require(try context.fetch(FetchDescriptor<LedgerItem>()).first)
    let identifier = item.persistentModelID
    item.title = "changed"
    try context.save()
    context.delete(item)
    try context.save()

    let all = try context.fetchHistory(HistoryDescriptor<LedgerEntry>())
    #expect(all.map(\.author) == ["a", "b", "a", "a", "a"] && all.map(\.changes.count) == [1, 1, 1, 1, 1])
    #expect(all[4].changes.first?.changedPersistentIdentifier == identifier)
    if case .delete(let deletion)? = all[4].changes.first {
      #expect((deletion as? any HistoryDelete<LedgerItem>)?.tombstone[\.title] as? String == "gone")
    } else {
      Issue.record("the last change is no deletion")
    }
    let token = all[1].token
    var descriptor = HistoryDescriptor<LedgerEntry>(
      predicate: #Predicate { $0.token > token }, sortBy: [SortDescriptor(\.token, order: .reverse)])
    descriptor.fetchLimit = 2
    #expect(try context.fetchHistory(descriptor).map(\.id) == [5, 4])
    try context.deleteHistory(HistoryDescriptor<LedgerEntry>(predicate: #Predicate { $0.token <= token }))
    #expect(try context.fetchHistory(HistoryDescriptor<LedgerEntry>()).map(\.id) == [3, 4, 5])

    let error = #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains("DefaultHistoryTransaction"))
  }

  @Test func `A save announces the token that a custom store returned`() throws {
    let container = try ModelContainer(for: LedgerItem.self, configurations: LedgerConfiguration())
    let context = ModelContext(container)
    let identifier = try #require(container.storeIdentifier(forConfigurationNamed: "ledger"))
    nonisolated(unsafe) var infos: [[AnyHashable: Any]] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { infos.append($0.userInfo ?? [:]) }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(LedgerItem(title: "1"))
    try context.save()
    context.insert(LedgerItem(title: "2"))
    try context.save()
    let tokens = infos.map { $0[ModelContext.NotificationKey.historyTokens.rawValue] as? LedgerToken }
    #expect(tokens == [LedgerToken(id: 1), LedgerToken(id: 2)])
    let byStore = infos.last?[ModelContext.NotificationKey.historyTokensByStore.rawValue] as? [String: any HistoryToken]
    #expect(byStore?.keys.sorted() == [identifier] && byStore?[identifier] as? LedgerToken == LedgerToken(id: 2))
  }

  @Test func `A save over stores of both kinds announces the position of each`() throws {
    let ledger = Schema([LedgerItem.self])
    let remarks = Schema([StoredTraveller.self, StoredTrip.self, StoredStop.self, StoredHotelStop.self])
    let container = try ModelContainer(
      for: Schema([
        LedgerItem.self, StoredTraveller.self, StoredTrip.self, StoredStop.self, StoredHotelStop.self,
      ]),
      configurations: [
        LedgerConfiguration(schema: ledger), ModelConfiguration("usual", schema: remarks, isStoredInMemoryOnly: true),
      ] as [any DataStoreConfiguration])
    let context = ModelContext(container)
    nonisolated(unsafe) var info: [AnyHashable: Any] = [:]
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { info = $0.userInfo ?? [:] }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(LedgerItem(title: "1"))
    context.insert(StoredTraveller(name: "Ada"))
    try context.save()
    let usual = try #require(container.storeIdentifier(forConfigurationNamed: "usual"))
    let own = try #require(container.storeIdentifier(forConfigurationNamed: "ledger"))
    let token = info[ModelContext.NotificationKey.historyTokens.rawValue] as? DefaultHistoryToken
    #expect(token?.tokenValue == [usual: 1])
    let byStore = info[ModelContext.NotificationKey.historyTokensByStore.rawValue] as? [String: any HistoryToken]
    #expect(byStore?[own] as? LedgerToken == LedgerToken(id: 1) && byStore?[usual] as? DefaultHistoryToken == token)
  }

  @Test func `An observer counts the saves to a custom store, by model, author and position`() async throws {
    let container = try ModelContainer(
      for: LedgerItem.self, LedgerNote.self, configurations: LedgerConfiguration())
    let context = ModelContext(container)
    let identifier = try #require(container.storeIdentifier(forConfigurationNamed: "ledger"))
    context.author = "a"
    context.insert(LedgerItem(title: "1"))
    try context.save()
    let late = try HistoryObserver(
      historyTokens: [identifier: LedgerToken(id: 0)], modelContainer: container, isolation: nil)
    let all = try HistoryObserver(
      historyTokens: [identifier: LedgerToken(id: 1)], modelContainer: container, isolation: nil)
    let notes = try HistoryObserver(observedModels: [LedgerNote.self], modelContainer: container, isolation: nil)
    let theirs = try HistoryObserver(authors: ["b"], modelContainer: container, isolation: nil)
    try await eventually { late.eventCounter == 1 }
    context.insert(LedgerItem(title: "2"))
    try context.save()
    try await eventually { all.eventCounter == 1 && late.eventCounter == 2 }
    #expect(notes.eventCounter == 0 && theirs.eventCounter == 0)
    context.author = "b"
    context.insert(LedgerNote(text: "n"))
    try context.save()
    try await eventually { all.eventCounter == 2 && notes.eventCounter == 1 && theirs.eventCounter == 1 }
  }

  @Test
  func `A save to a custom store counts once, also while observers look at what is there`() async throws {
    let configuration = LedgerConfiguration()
    configuration.ledger.isSlow = true
    let container = try ModelContainer(for: LedgerItem.self, LedgerNote.self, configurations: configuration)
    let identifier = try #require(container.storeIdentifier(forConfigurationNamed: "ledger"))
    // They look one after another; the last ones find the save.
    let observers = try (0..<50).map { _ in
      try HistoryObserver(historyTokens: [identifier: LedgerToken(id: 0)], modelContainer: container, isolation: nil)
    }
    let last = try HistoryObserver(modelContainer: container, isolation: nil)
    let context = ModelContext(container)
    context.insert(LedgerItem(title: "1"))
    try context.save()
    try await eventually { last.eventCounter == 1 }
    #expect(observers.map(\.eventCounter) == observers.map { _ in 1 })
    // An erased store may begin its history anew.
    try container.erase()
    context.insert(LedgerItem(title: "2"))
    try context.save()
    try await eventually { observers.allSatisfy { $0.eventCounter > 1 } }
  }

  @Test func `An observer counts the erasure of a custom store, and live results become empty`() async throws {
    let container = try ModelContainer(for: LedgerItem.self, LedgerNote.self, configurations: LedgerConfiguration())
    let context = ModelContext(container)
    context.insert(LedgerItem(title: "1"))
    try context.save()
    let observer = try HistoryObserver(observedModels: [LedgerItem.self], modelContainer: container, isolation: nil)
    let results = try ResultsObserver<LedgerItem, Never>(modelContext: ModelContext(container), isolation: nil)
    #expect(results.results.count == 1)
    try container.erase()
    try await eventually { observer.eventCounter == 1 }
    #expect(results.results.isEmpty)
  }

  @Test func `Observers and live results follow a custom store that another container saves to`() async throws {
    let configuration = LedgerConfiguration()
    let container = try ModelContainer(for: LedgerItem.self, LedgerNote.self, configurations: configuration)
    let other = try ModelContainer(for: LedgerItem.self, configurations: configuration)
    let stranger = try ModelContainer(
      for: LedgerItem.self,
      configurations: LedgerConfiguration(ledger: .init(identifier: configuration.ledger.identifier)))
    let items = try HistoryObserver(observedModels: [LedgerItem.self], modelContainer: container, isolation: nil)
    let notes = try HistoryObserver(observedModels: [LedgerNote.self], modelContainer: container, isolation: nil)
    let theirs = try HistoryObserver(authors: ["b"], modelContainer: container, isolation: nil)
    let strangers = try HistoryObserver(modelContainer: stranger, isolation: nil)
    let context = ModelContext(other)
    context.author = "a"
    context.insert(LedgerItem(title: "1"))
    try context.save()
    try await eventually { items.eventCounter == 1 }
    let reader = ModelContext(container)
    let seen = try #require(try reader.fetch(FetchDescriptor<LedgerItem>()).first)
    context.author = "b"
    try context.fetch(FetchDescriptor<LedgerItem>()).first?.title = "2"
    try context.save()
    try await eventually { items.eventCounter == 2 && theirs.eventCounter == 1 }
    _ = try reader.fetch(FetchDescriptor<LedgerNote>())
    #expect(seen.title == "2")
    try other.erase()
    try await eventually { items.eventCounter == 3 }
    #expect(notes.eventCounter == 0 && strangers.eventCounter == 0)
    #expect(try reader.fetch(FetchDescriptor<LedgerItem>()).isEmpty)
  }
}

@Model final class LedgerNote {
  var text: String
  init(text: String) { self.text = text }
}

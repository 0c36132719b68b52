import Foundation
import Observation
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

/// A class that no container of these tests has.
@Model private final class Stranger { init() {} }

/// Containers notice what others save, while somebody listens.
@Suite struct RemoteChangeTests {
  private let store: TemporaryStore
  private let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try ContextLibrary.container(store)
  }

  private func save(_ title: String, author: String? = nil, in container: ModelContainer? = nil) throws {
    let context = ModelContext(container ?? self.container)
    context.author = author
    context.insert(Book(title))
    try context.save()
  }

  private func expect(
    _ count: Int, _ observer: HistoryObserver, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await eventually(sourceLocation: sourceLocation) { observer.eventCounter >= count }
    #expect(observer.eventCounter == count, sourceLocation: sourceLocation)
  }

  @Test(.startsProcesses)
  func `An observer counts saves of its own container, of another container and of another process`() async throws {
    let observer = try HistoryObserver(modelContainer: container)
    #expect(observer.eventCounter == 0 && observer.observedModels.isEmpty && observer.authors.isEmpty)
    try save("here")
    try await expect(1, observer)
    try save("there", in: ContextLibrary.container(store))
    try await expect(2, observer)
    let path = store.url.path
    _ = await #expect(processExitsWith: .success) { [path = path as String] in
      TestProcess.run {
        let configuration = ModelConfiguration(url: URL(fileURLWithPath: path))
        let context = ModelContext(
          try ModelContainer(for: Schema(ContextLibrary.types), configurations: configuration))
        context.insert(Book("far away"))
        try context.save()
      }
    }
    try await expect(3, observer)
    #expect(try ModelContext(container).fetchHistory(HistoryDescriptor()).count == 3)
    try Oracle.expectSound(store.url, fresh: true)
  }

  @Test func `A save of another container arrives after an own save that was noted late`() async throws {
    let context = ModelContext(container)
    let results = try ResultsObserver(filterBy: #Predicate<Book> { _ in true }, modelContext: context)
    try save("here")
    try await eventually { results.results.map(\.title) == ["here"] }
    // A check may meet the transaction of a save before the container has noted the save as its own.
    container.core.remoteChanges.noteOwnSave([0: 1])
    try save("there", in: ContextLibrary.container(store))
    try await eventually { Set(results.results.map(\.title)) == ["here", "there"] }
  }

  @Test func `An observer counts saves to stores in memory, which no other process has`() async throws {
    let container = try ModelContainer(
      for: Schema(ContextLibrary.types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let observer = try HistoryObserver(observedModels: [Book.self], modelContainer: container)
    try save("1", in: container)
    try await expect(1, observer)
    try save("2", in: container)
    try await expect(2, observer)
  }

  @Test func `Only changes of the observed models, with their subclasses, and by the given authors count`() async throws
  {
    let all = try HistoryObserver(modelContainer: container)
    let books = try HistoryObserver(observedModels: [Book.self], modelContainer: container)
    let things = try HistoryObserver(observedModels: [ContextLibrary.Thing.self], modelContainer: container)
    let mine = try HistoryObserver(authors: ["me"], modelContainer: container)
    let ours = try HistoryObserver(observedModels: [Book.self], authors: ["me", "you"], modelContainer: container)
    #expect(ours.authors == ["me", "you"] && ours.observedModels.count == 1)
    // Two saves that an observer examines together count once, so each of them waits.
    func expectCounts(_ counts: Int...) async throws {
      for (count, observer) in zip(counts, [all, books, things, mine, ours]) { try await expect(count, observer) }
    }
    try save("1")
    try await expectCounts(1, 1, 0, 0, 0)
    try save("2", author: "me")
    try await expectCounts(2, 2, 0, 1, 1)
    try save("3", author: "you")
    try await expectCounts(3, 3, 0, 1, 2)
    let context = ModelContext(container)
    context.author = "me"
    context.insert(ContextLibrary.Lamp(weight: 1, watts: 40))
    try context.save()
    try await expectCounts(4, 3, 1, 2, 2)
  }

  @Test func `With tokens an observer counts from there on, and what is there already counts at once`() async throws {
    try save("1")
    try save("2")
    let context = ModelContext(container)
    let tokens = try context.fetchHistory(HistoryDescriptor()).map(\.token)
    let identifier = try #require(tokens.first?.tokenValue?.keys.first)
    let early = try HistoryObserver(historyTokens: [identifier: tokens[0]], modelContainer: container)
    let late = try HistoryObserver(historyTokens: [identifier: tokens[1]], modelContainer: container)
    try await expect(1, early)
    try save("3")
    try await expect(1, late)
    try await expect(2, early)
  }

  @Test func `Observation is told on the observer's actor`() async throws {
    let told = Mutex(false)
    try await MainActor.run {
      let observer = try HistoryObserver(modelContainer: container)
      withObservationTracking {
        _ = observer.eventCounter
      } onChange: {
        MainActor.assertIsolated()
        told.withLock { $0 = true }
      }
      try save("1")
      return observer
    }.keep {
      try await eventually { told.withLock { $0 } }
    }
    #expect(told.withLock { $0 })
  }

  @Test func `An observer of a model that the schema lacks, or of stores without history, cannot be made`() throws {
    #expect(throws: SwiftDataError.unknownSchema) {
      try HistoryObserver(observedModels: [Stranger.self], modelContainer: container)
    }
    let without = try TestEngine.dictionaries(
      Schema(ContextLibrary.types), [ModelConfiguration(isStoredInMemoryOnly: true)])
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) { try HistoryObserver(modelContainer: without) }
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try ModelContext(without).fetchHistory(HistoryDescriptor())
    }
  }

  @Test func `Nothing is watched before somebody listens and after the last listener`() async throws {
    let changes = container.core.remoteChanges
    #expect(!changes.isWatching)
    var first: RemoteChanges.Registration? = changes.listen { _ in }
    #expect(changes.isWatching)
    var second: HistoryObserver? = try HistoryObserver(modelContainer: container)
    first = nil
    #expect(changes.isWatching && second?.eventCounter == 0)
    second = nil
    #expect(first == nil && second == nil)
    try await eventually { !changes.isWatching }
  }

  /// In a process of its own: who reads the notification's name starts the observation of all containers.
  @Test(.startsProcesses) func `remoteChange is posted with the container and the stores' position`() async throws {
    let path = store.url.path
    _ = await #expect(processExitsWith: .success) { [path = path as String] in
      let store = URL(fileURLWithPath: path)
      func makeContainer() throws -> ModelContainer {
        try ModelContainer(for: Schema(ContextLibrary.types), configurations: ModelConfiguration(url: store))
      }
      func save(_ title: String, in container: ModelContainer) throws {
        let context = ModelContext(container)
        context.insert(Book(title))
        try context.save()
      }
      let container = try makeContainer()
      guard !container.core.remoteChanges.isWatching else { throw Failure("a container is watched without listeners") }
      let received = Mutex<[DefaultHistoryToken]>([])
      let listener = NotificationCenter.default.addObserver(
        forName: ModelContainer.remoteChange, object: container, queue: nil
      ) { notification in
        let token = notification.userInfo?[ModelContext.NotificationKey.historyTokens.rawValue] as? DefaultHistoryToken
        received.withLock { list in if let token { list.append(token) } }
      }
      try save("1", in: container)
      try await eventually { !received.withLock { $0.isEmpty } }
      try save("2", in: makeContainer())
      try await eventually { received.withLock { $0.count } >= 2 }
      let tokens = try ModelContext(container).fetchHistory(HistoryDescriptor()).map(\.token)
      guard received.withLock({ $0 }) == tokens, tokens.count == 2 else {
        throw Failure("received \(received.withLock { $0 }) instead of \(tokens)")
      }
      NotificationCenter.default.removeObserver(listener)
    }
  }

  private struct Failure: Error {
    let description: String
    init(_ description: String) { self.description = description }
  }

  @Test func `didSave has the position after the save`() throws {
    let context = ModelContext(container)
    let received = Mutex<DefaultHistoryToken?>(nil)
    let listener = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      let token = $0.userInfo?[ModelContext.NotificationKey.historyTokens.rawValue] as? DefaultHistoryToken
      received.withLock { $0 = token }
    }
    defer { NotificationCenter.default.removeObserver(listener) }
    context.insert(Book("1"))
    try context.save()
    #expect(try context.fetchHistory(HistoryDescriptor()).last?.token == received.withLock { $0 })
  }

  @Test @MainActor
  func `While somebody listens, a context of an actor merges another container's save without a fetch`()
    async throws
  {
    let context = container.mainContext
    let (kept, gone) = (Book("old"), Book("gone"))
    context.insert(kept)
    context.insert(gone)
    try context.save()
    let observer = try HistoryObserver(modelContainer: container)
    let there = ModelContext(try ContextLibrary.container(store))
    let theirs = try there.all(Book.self)
    try #require(theirs.first { $0.title == "old" }).title = "new"
    there.delete(try #require(theirs.first { $0.title == "gone" }))
    try there.save()
    try await eventually { kept.title == "new" && gone.isDeleted }
    #expect(kept.title == "new" && gone.modelContext == nil)
    try await expect(1, observer)
  }

  @Test func `Many saves in quick succession lead to few events, and none is missed`() async throws {
    let events = Mutex<[Int64]>([])
    let registration = container.core.remoteChanges.listen { event in
      events.withLock { $0.append(event.numbers.values.first ?? 0) }
    }
    let there = try ContextLibrary.container(store)
    for number in 0..<200 { try save("\(number)", in: there) }
    try await eventually { events.withLock { $0.last } == 200 }
    let numbers = events.withLock { $0 }
    #expect(numbers.last == 200 && numbers == numbers.sorted() && numbers.count < 200)
    withExtendedLifetime(registration) {}
  }
}

extension HistoryObserver {
  /// Keeps the observer alive until a closure returns.
  fileprivate func keep(while body: () async throws -> Void) async throws {
    try await body()
    withExtendedLifetime(self) {}
  }
}

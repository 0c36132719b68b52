import Foundation
import PostgreSQLTestSupport
import SwiftData
import TestSupport
import Testing

@Suite("An observer of a PostgreSQL store's history", TestServer.condition)
struct HistoryObserverTests {
  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }

  @Model final class Lamp {
    var watts: Int
    init(_ watts: Int) { self.watts = watts }
  }

  let store: TemporaryStore
  let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try Self.open(store)
  }

  private static func open(_ store: TemporaryStore) throws -> ModelContainer {
    try TestEngine.postgreSQL.container(Schema([Note.self, Lamp.self]), store)
  }

  private func save(_ model: some PersistentModel, in container: ModelContainer, author: String? = nil) throws {
    let context = ModelContext(container)
    context.author = author
    context.insert(model)
    try context.save()
  }

  private func expect(
    _ count: Int, _ observer: HistoryObserver, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await eventually(sourceLocation: sourceLocation) { observer.eventCounter >= count }
    #expect(observer.eventCounter == count, sourceLocation: sourceLocation)
  }

  @Test("It counts the saves of its own container and of another one")
  func others() async throws {
    let other = try Self.open(store)
    let observer = try HistoryObserver(modelContainer: container)
    #expect(observer.eventCounter == 0)
    try save(Note("here"), in: container)
    try await expect(1, observer)
    try save(Note("there"), in: other)
    try await expect(2, observer)
    let context = ModelContext(other)
    try context.delete(model: Note.self)
    try context.save()
    try await expect(3, observer)
  }

  @Test("Only changes of the observed classes, and by the given authors, count")
  func filters() async throws {
    let other = try Self.open(store)
    let all = try HistoryObserver(modelContainer: container)
    let notes = try HistoryObserver(observedModels: [Note.self], modelContainer: container)
    let mine = try HistoryObserver(authors: ["me"], modelContainer: container)
    try save(Note("1"), in: other, author: "you")
    try await expect(1, all)
    try save(Lamp(40), in: other, author: "me")
    try await expect(2, all)
    try await expect(1, notes)
    try await expect(1, mine)
  }

  @Test("With a token it counts what was saved since, before it was made")
  func tokens() async throws {
    let other = try Self.open(store)
    try save(Note("1"), in: other)
    try save(Note("2"), in: other)
    let tokens = try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.token)
    let identifier = tokens[0].storeIdentifier
    let early = try HistoryObserver(historyTokens: [identifier: tokens[0]], modelContainer: container)
    let late = try HistoryObserver(historyTokens: [identifier: tokens[1]], modelContainer: container)
    try await expect(1, early)
    try save(Note("3"), in: other)
    try await expect(2, early)
    try await expect(1, late)
  }
}

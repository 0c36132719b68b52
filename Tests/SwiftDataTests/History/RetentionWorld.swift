import Foundation
import SQLite
import TestSupport
import Testing

@testable import CoreDataStore
@testable import StoreInspection
@testable import SwiftData

/// The store of a file whose history grows old.
struct RetentionWorld {
  static let condition: ConditionTrait = .enabled(if: true)
  private let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  func container(_ schema: Schema, retention: Duration?) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: store.url)
    configuration.historyRetention = retention
    return try ModelContainer(for: schema, configurations: configuration)
  }

  /// Makes transactions older.
  func age(_ numbers: ClosedRange<Int>, days: Int) throws {
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    defer { connection.close() }
    try connection.execute(
      "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - \(days * 86_400) "
        + "WHERE Z_PK BETWEEN \(numbers.lowerBound) AND \(numbers.upperBound)")
  }

  /// Holds the store to every fact of the format.
  func check() throws {
    #expect(try StoreChecker.check(store.url) == [])
    try Oracle.expectSound(store.url)
  }
}

@Suite("The history that a store in memory keeps") struct MemoryRetentionTests {
  @Test("A store in memory keeps readers as a file does")
  func inMemory() throws {
    let context = ModelContext(
      try ModelContainer(
        for: HistoryRetentionTests.Event.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for name in ["1", "2"] {
      context.insert(HistoryRetentionTests.Event(name))
      try context.save()
    }
    func tokens() throws -> [DefaultHistoryToken] {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.token)
    }
    let tokensBefore = try tokens()
    try context.keepHistory(after: tokensBefore[0], for: "widget")
    let engine = try #require(context.container.core.stores[0].engine as? PersistentStore)
    try engine.pruneHistory(before: .distantFuture)
    #expect(try tokens() == [tokensBefore[1]])
  }
}

import Foundation
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import Synchronization
import TestSupport
import Testing

@Suite("A server that crashes during many saves", TestServer.condition)
struct CrashedServerTests {
  @Model final class Writer {
    @Attribute(.unique) var number: Int
    @Relationship(deleteRule: .cascade, inverse: \Mark.writer) var marks: [Mark] = []
    init(_ number: Int) { self.number = number }
  }

  @Model final class Mark {
    var number: Int
    var writer: Writer?
    init(_ number: Int, _ writer: Writer) {
      self.number = number
      self.writer = writer
    }
  }

  private final class Counts: Sendable {
    let acknowledged = Atomic<Int>(0)
    let crashes = Atomic<Int>(0)
  }

  /// Each save inserts two marks, so that half a save would show.
  @Test("Every acknowledged save is there once and whole, and a save that fails can be done again")
  func saves() async throws {
    let server = try #require(try TestServer.another())
    let configuration = PostgreSQLConfiguration(server.address, connectionLimit: 4)
    let container = try ModelContainer(for: Schema([Writer.self]), configurations: [configuration])
    let (writers, saves) = (4, FullTests.areWanted ? 250 : 50)
    let counts = Counts()
    defer { withExtendedLifetime(server) {} }

    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<writers {
        group.addTask {
          let context = ModelContext(container)
          context.autosaveEnabled = false
          let writer = Writer(number)
          context.insert(writer)
          for save in 0..<saves {
            for half in 0..<2 { context.insert(Mark(2 * save + half, writer)) }
            try Self.repeating { try context.save() }
            counts.acknowledged.add(1, ordering: .relaxed)
          }
        }
      }
      group.addTask {
        // Crashes come while saves run: each after some more of them are acknowledged.
        let steps = 5
        for step in 1..<steps {
          while counts.acknowledged.load(ordering: .relaxed) < step * writers * saves / steps {
            try await Task.sleep(for: .milliseconds(1))
          }
          try server.crash()
          counts.crashes.add(1, ordering: .relaxed)
        }
      }
      try await group.waitForAll()
    }

    #expect(counts.crashes.load(ordering: .relaxed) == 4)
    let context = ModelContext(container)
    let found = try context.fetch(FetchDescriptor<Writer>(sortBy: [SortDescriptor(\.number)]))
    #expect(found.map(\.number) == Array(0..<writers))
    for writer in found { #expect(writer.marks.map(\.number).sorted() == Array(0..<(2 * saves))) }
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.count == writers * saves)
  }

  /// Repeats a save that failed because the server was away.
  private static func repeating(_ save: () throws -> Void) throws {
    for _ in 0..<1000 {
      do { return try save() } catch SwiftDataError.storeFailure { Thread.sleep(forTimeInterval: 0.02) }
    }
    try save()
  }
}

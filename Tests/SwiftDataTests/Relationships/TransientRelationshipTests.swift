import Foundation
import TestSupport
import Testing

@testable import SwiftData

enum TransientModels {
  @Model final class Usage {
    var before: Int = 0
    /// Lives in memory only, between two properties that have columns.
    @Relationship(.transient, inverse: \Process.hint) var hintedBy: Process?
    var after: String = ""
    var process: Process?
    init(_ before: Int, _ after: String) {
      self.before = before
      self.after = after
    }
  }

  @Model final class Process {
    @Relationship(.transient) var hint: Usage?
    var name: String
    @Relationship(inverse: \Usage.process) var usages: [Usage] = []
    init(_ name: String) { self.name = name }
  }
}

/// Relationships without a column in the middle of a class, as in Apple's stores of network usage.
@Suite("Transient relationships")
struct TransientRelationshipTests {
  private typealias Usage = TransientModels.Usage
  private typealias Process = TransientModels.Process

  @Test("VH-6 A transient relationship takes no column from the properties after it") func columns() throws {
    let store = try TemporaryStore()
    func context() throws -> ModelContext {
      ModelContext(
        try ModelContainer(for: Usage.self, Process.self, configurations: ModelConfiguration(url: store.url)))
    }
    do {
      let context = try context()
      let process = Process("kernel")
      let usage = Usage(7, "seven")
      context.insert(usage)
      usage.process = process
      usage.hintedBy = process
      try context.save()
      #expect(usage.hintedBy === process)
    }
    let usage = try #require(try context().fetch(FetchDescriptor<Usage>()).first)
    #expect(usage.before == 7 && usage.after == "seven")
    #expect(usage.process?.name == "kernel")
    #expect(usage.hintedBy == nil && usage.process?.hint == nil)
    #expect(usage.process?.usages.count == 1)
  }
}

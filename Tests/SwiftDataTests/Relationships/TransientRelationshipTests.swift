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

/// A browser's window, whose relationships have the attribute's option.
enum EphemeralModels {
  @Model final class Window {
    var name: String
    @Attribute(.ephemeral) var current: Page?
    @Attribute(.ephemeral) var recent: [Page] = []
    var home: Page?
    init(_ name: String) { self.name = name }
  }

  @Model final class Page {
    var address: String
    init(_ address: String) { self.address = address }
  }
}

/// Relationships without a column in the middle of a class, as in Apple's stores of network usage.
@Suite("Transient relationships")
struct TransientRelationshipTests {
  private typealias Usage = TransientModels.Usage
  private typealias Process = TransientModels.Process

  private func opened(_ store: TemporaryStore, _ types: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: store.url)))
  }

  @Test("VH-6 A transient relationship takes no column from the properties after it") func columns() throws {
    let store = try TemporaryStore()
    func context() throws -> ModelContext { try opened(store, Usage.self, Process.self) }
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

  @Test("A relationship with the attribute's option `.ephemeral` lives in memory only") func ephemeral() throws {
    typealias Window = EphemeralModels.Window
    typealias Page = EphemeralModels.Page
    let store = try TemporaryStore()
    func context() throws -> ModelContext { try opened(store, Window.self, Page.self) }
    do {
      let context = try context()
      let (window, page) = (Window("first"), Page("one"))
      context.insert(window)
      try context.save()
      (window.current, window.recent, window.home) = (page, [page], page)
      try context.save()
      #expect(window.current === page && window.recent == [page])
      window.recent.append(Page("two"))
      try context.save()
      #expect(window.recent.count == 2)
    }
    let window = try #require(try context().fetch(FetchDescriptor<Window>()).first)
    #expect(window.current == nil && window.recent.isEmpty && window.home?.address == "one")
  }
}

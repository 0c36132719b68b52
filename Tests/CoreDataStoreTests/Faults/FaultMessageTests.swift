import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// What users read when the disk, the memory or a lock fails them: the store that they know, and a way out.
@Suite("Messages of failures") struct FaultMessageTests {
  private static let later: ModelDescription = {
    var model = FetchTestWorld.model
    model.entities.append(EntityDescription(name: "Award", properties: [FetchTestWorld.attribute("title", .string)]))
    return model
  }()

  /// An operation, and whether the store is open before anything fails.
  private struct Operation: Sendable {
    let name: String
    var isOpen = true
    let run: @Sendable (PersistentStore?, FaultWorld, URL) throws -> Void
  }

  private static let brief = StoreOptions(busyTimeout: .zero)

  private static func reading(
    _ name: String, _ body: @escaping @Sendable (PersistentStore) throws -> Void
  ) -> Operation {
    Operation(name: name) { store, _, _ in if let store { try body(store) } }
  }

  private static let operations: [Operation] = [
    Operation(name: "open", isOpen: false) { _, _, url in try PersistentStore.open(at: url, options: brief).close() },
    Operation(name: "read the model", isOpen: false) { _, _, url in _ = try StoreModel.read(url) },
    reading("fetch") { store in
      let rows = try store.fetch(FetchRequest(entityName: "Person"))
      while try rows.next() {}
    },
    reading("count") { _ = try $0.count(FetchRequest(entityName: "Note")) },
    reading("keys") { _ = try $0.keys(FetchRequest(entityName: "Note")) },
    reading("a row by its key") { _ = try $0.hasRow(ObjectKey(entity: 1, key: 1)) },
    reading("rows by keys") { store in
      let rows = try store.fetch(keys: [ObjectKey(entity: 1, key: 1)], columns: [])
      while try rows.next() {}
    },
    reading("related rows") { store in
      let owners = try store.keys(FetchRequest(entityName: "House"))
      let rows = try store.related(to: ("House", "residents"), owners: owners, columns: [])
      while try rows.next() {}
    },
    reading("values") { store in
      let rows = try store.values(ValueRequest(entityName: "Note", values: [.object(FetchPath())]))
      while try rows.next() {}
    },
    reading("names") { _ = try $0.entityNames() },
    reading("SQL") { _ = try $0.rows(of: [.text("SELECT count(*) FROM ZNOTE")]) },
    reading("history") { store in
      let history = try store.history()
      while try history.next() != nil { while try history.nextChange() != nil {} }
    },
    reading("the last transaction") { _ = try $0.lastTransaction() },
    reading("the data version") { _ = try $0.dataVersion() },
    reading("one state") { store in try store.readState { _ = try $0.countForeignRows() } },
    reading("the end of history") { try $0.deleteHistory(HistoryRequest(after: 0)) },
    reading("a search index") { _ = try $0.makeSearchIndex(on: ["text"], of: "Note") },
    Operation(name: "save") { store, world, _ in _ = try store?.save(world.changes()) },
    Operation(name: "a batch") { store, _, _ in
      var changes = ChangeSet()
      changes.batches = [.delete(BatchSelection(entityName: "Note"))]
      _ = try store?.save(changes)
    },
    Operation(name: "migrate", isOpen: false) { _, _, url in
      try PersistentStore.migrate(at: url, through: [later], options: brief)
    },
    Operation(name: "migrate with code", isOpen: false) { _, _, url in
      _ = try FileMigrator(url, duplicates: .fail, backup: nil).migrate(
        { _ in
          var step = MigrationStep(later)
          step.codeAfter = { _ in }
          return [step]
        }, progress: { _ in })
    },
    Operation(name: "migrate after a backup", isOpen: false) { _, _, url in
      let backup = url.deletingLastPathComponent().appendingPathComponent(url.lastPathComponent + ".old")
      _ = try FileMigrator(url, duplicates: .fail, backup: backup).migrate(
        { _ in [MigrationStep(later)] }, progress: { _ in })
    },
    Operation(name: "copy", isOpen: false) { _, _, url in
      let copy = url.deletingLastPathComponent().appendingPathComponent(url.lastPathComponent + ".copy")
      try StoreCopy.copy(from: url, to: copy, busyTimeout: .zero)
    },
    Operation(name: "copy over another", isOpen: false) { _, _, url in
      let copy = url.deletingLastPathComponent().appendingPathComponent(url.lastPathComponent + ".copy")
      try FileManager.default.copyItem(at: url, to: copy)
      try StoreCopy.copy(from: url, to: copy, replaces: true, busyTimeout: .zero)
    },
  ]

  @Test(
    "A failure names the store that the user knows, and a way out", .skipsLockWaits,
    arguments: FaultyFileSystem.Fault.allCases)
  func clear(_ fault: FaultyFileSystem.Fault) throws {
    let world = try FaultWorld()
    let template = try TemporaryStore()
    try world.template.write(to: template.url)
    let messages = try FaultMessages(template.url)
    for operation in Self.operations {
      let unclear = try messages.unclear(fault, stride: FullTests.areWanted ? 1 : nil) { url in
        operation.isOpen ? try PersistentStore.open(at: url, options: Self.brief) : nil
      } operation: { store, url in
        defer { store?.close() }
        try operation.run(store, world, url)
      }
      for message in unclear { Issue.record("\(operation.name), \(message.call): \(message.text)") }
    }
  }
}

import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import CoreDataStore
@testable import SwiftData

enum Depot {
  enum V1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Item.self, Entry.self] }
    @Model final class Item {
      var name: String
      var size: Size = Size()
      init(_ name: String) { self.name = name }
    }
    @Model final class Entry {
      var text: String
      init(_ text: String) { self.text = text }
    }
    struct Size: Codable {
      var width: Int?
      var height = 1
    }
  }

  enum V2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Item.self, Entry.self] }
    @Model final class Item {
      var name: String
      var slug: String = ""
      var size: V1.Size = V1.Size()
      init(_ name: String) { self.name = name }
    }
    @Model final class Entry {
      var text: String
      var level: Int = 3
      init(_ text: String) { self.text = text }
    }
  }

  static func fill(_ configurations: ModelConfiguration...) throws {
    let context = ModelContext(
      try ModelContainer(for: Schema(versionedSchema: V1.self), configurations: configurations))
    context.insert(V1.Item("Item"))
    context.insert(V1.Entry("entry"))
    try context.save()
  }

  static func open(_ plan: any SchemaMigrationPlan.Type, _ configurations: ModelConfiguration...) throws -> ModelContext
  {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: V2.self), migrationPlan: plan, configurations: configurations))
  }
}

/// Stages with code, for containers with several stores, and for several containers of one store.
@Suite("Stages and stores", .serialized) struct StagesOfStoresTests {
  typealias V1 = Depot.V1
  typealias V2 = Depot.V2

  /// What stages did; the tests of this suite run one after the other.
  private static let log = Mutex<[String]>([])
  private static let action = Mutex<(@Sendable (ModelContext) throws -> Void)?>(nil)

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: V1.self, toVersion: V2.self,
          willMigrate: { context in
            let counts = try (
              context.fetchCount(FetchDescriptor<V1.Item>()), context.fetch(FetchDescriptor<V1.Entry>()).count
            )
            StagesOfStoresTests.log.withLock { $0.append("\(counts)") }
            try StagesOfStoresTests.action.withLock { $0 }?(context)
          },
          didMigrate: { context in
            for item in try context.fetch(FetchDescriptor<V2.Item>()) { item.slug = item.name.lowercased() }
            for entry in try context.fetch(FetchDescriptor<V2.Entry>(sortBy: [SortDescriptor(\.text)])) {
              entry.level = 7
            }
          })
      ]
    }
  }

  private func begin(_ action: (@Sendable (ModelContext) throws -> Void)? = nil) {
    Self.log.withLock { $0 = [] }
    Self.action.withLock { $0 = action }
  }

  private func configurations(
    _ place: TemporaryStore, _ item: any PersistentModel.Type, _ entry: any PersistentModel.Type
  )
    -> (ModelConfiguration, ModelConfiguration)
  {
    (
      ModelConfiguration("items", schema: Schema([item]), url: place.url),
      ModelConfiguration("entries", schema: Schema([entry]), url: place.folder.appendingPathComponent("entries.store"))
    )
  }

  @Test("A stage runs for each store, and finds no objects of the other stores' classes")
  func severalStores() throws {
    begin { context in
      #expect(try context.fetchIdentifiers(FetchDescriptor<V1.Entry>()).count <= 1)
      #expect(try context.fetchCount(FetchDescriptor<V1.Entry>(predicate: #Predicate { $0.text == "none" })) == 0)
      try context.enumerate(FetchDescriptor<V1.Item>()) { $0.name += "!" }
      try context.delete(model: V1.Entry.self, where: #Predicate { $0.text == "none" })
    }
    let place = try TemporaryStore()
    let old = configurations(place, V1.Item.self, V1.Entry.self)
    try Depot.fill(old.0, old.1)
    let new = configurations(place, V2.Item.self, V2.Entry.self)
    let context = try Depot.open(Plan.self, new.0, new.1)
    #expect(try context.fetch(FetchDescriptor<V2.Item>()).map(\.slug) == ["item!"])
    #expect(try context.fetch(FetchDescriptor<V2.Entry>()).map(\.level) == [7])
    #expect(Self.log.withLock { $0 } == ["(1, 0)", "(0, 1)"])
  }

  @Test("An object whose store a stage does not have is refused in these words")
  func insertionWithoutStore() throws {
    begin { context in
      if try context.fetchCount(FetchDescriptor<V1.Item>()) == 1 { context.insert(V1.Entry("stray")) }
    }
    let place = try TemporaryStore()
    let old = configurations(place, V1.Item.self, V1.Entry.self)
    try Depot.fill(old.0, old.1)
    let new = configurations(place, V2.Item.self, V2.Entry.self)
    let error = #expect(throws: SwiftDataError.unknownSchema) { try Depot.open(Plan.self, new.0, new.1) }
    #expect(error?.explanation?.contains("a stage of a migration runs for each store") == true, "\(error as Any)")
    // The stores are as they were.
    begin()
    #expect(try Depot.open(Plan.self, new.0, new.1).fetchCount(FetchDescriptor<V2.Entry>()) == 1)
  }

  @Test("A class that is not in the schema is refused as before")
  func stranger() throws {
    let place = try TemporaryStore()
    let context = ModelContext(
      try ModelContainer(for: V1.Item.self, configurations: ModelConfiguration(url: place.url)))
    #expect(throws: SwiftDataError.unknownSchema) { try context.fetch(FetchDescriptor<V1.Entry>()) }
  }

  // MARK: Several openers

  @Test("Of many containers that open a store at once, one runs the stages, and the others wait for it")
  func manyOpeners() throws {
    begin { _ in usleep(50_000) }
    let place = try TemporaryStore()
    try Depot.fill(ModelConfiguration(url: place.url))
    let slugs = Mutex<[[String]]>([])
    DispatchQueue.concurrentPerform(iterations: 6) { _ in
      let found = try? Depot.open(Plan.self, ModelConfiguration(url: place.url)).fetch(FetchDescriptor<V2.Item>())
        .map(\.slug)
      slugs.withLock { $0.append(found ?? ["error"]) }
    }
    #expect(slugs.withLock { $0 } == Array(repeating: ["item"], count: 6))
    #expect(Self.log.withLock { $0 } == ["(1, 1)"])
    #expect(try remains(place) == [])
  }

  @Test("A backup that a waiting opener asks for is not made of the migrated store")
  func backupOfWaiting() throws {
    begin { _ in usleep(50_000) }
    let (place, backup) = (try TemporaryStore(), try TemporaryStore())
    try Depot.fill(ModelConfiguration(url: place.url))
    DispatchQueue.concurrentPerform(iterations: 3) { _ in
      var configuration = ModelConfiguration(url: place.url)
      configuration.migration.backup = backup.url
      _ = try? Depot.open(Plan.self, configuration)
    }
    let kept = ModelContext(
      try ModelContainer(for: Schema(versionedSchema: V1.self), configurations: [ModelConfiguration(url: backup.url)]))
    #expect(try kept.fetch(FetchDescriptor<V1.Item>()).map(\.name) == ["Item"])
  }

  private func remains(_ place: TemporaryStore) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place.folder.path).filter {
      $0.hasPrefix(".\(place.url.lastPathComponent).")
    }
  }

  private func lockFolder(_ place: TemporaryStore) -> String {
    place.folder.path + "/.\(place.url.lastPathComponent).migrating-lock"
  }

  @Test("An opener waits while another process holds the lock, and no longer than that process lives")
  func otherProcess() async throws {
    begin()
    let place = try TemporaryStore()
    try Depot.fill(ModelConfiguration(url: place.url))
    // Another descriptor has a lock of its own, like another process.
    mkdir(lockFolder(place), 0o777)
    let holder = open(lockFolder(place), O_RDONLY | O_DIRECTORY)
    #expect(flock(holder, LOCK_EX | LOCK_NB) == 0)
    let isDone = Mutex(false)
    let url = place.url
    let opening = Task.detached {
      let slugs = try Depot.open(Plan.self, ModelConfiguration(url: url)).fetch(FetchDescriptor<V2.Item>()).map(\.slug)
      isDone.withLock { $0 = true }
      return slugs
    }
    try await Task.sleep(for: .milliseconds(300))
    #expect(!isDone.withLock { $0 } && Self.log.withLock { $0 } == [])
    // The process ends, and its folder stays behind.
    close(holder)
    #expect(try await opening.value == ["item"])
    #expect(try remains(place) == [])
  }

  @Test("The lock's folder of a killed process is removed by the next opening")
  func leftFolder() throws {
    let place = try TemporaryStore()
    try Depot.fill(ModelConfiguration(url: place.url))
    mkdir(lockFolder(place), 0o777)
    _ = try ModelContainer(for: Schema(versionedSchema: V1.self), configurations: [ModelConfiguration(url: place.url)])
    #expect(try remains(place) == [])
  }

  @Test("A stage that opens its own store with the plan is refused instead of waiting for itself")
  func nested() throws {
    let place = try TemporaryStore()
    let url = place.url
    begin { _ in
      let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
        try Depot.open(Plan.self, ModelConfiguration(url: url))
      }
      #expect(error?.explanation?.contains("use the stage's context") == true)
    }
    try Depot.fill(ModelConfiguration(url: url))
    #expect(
      try Depot.open(Plan.self, ModelConfiguration(url: url)).fetch(FetchDescriptor<V2.Item>()).map(\.slug) == ["item"])
  }

  @Test("A store in a folder for reading only is refused as before, and nobody waits")
  func readOnlyFolder() throws {
    let place = try TemporaryStore()
    try Depot.fill(ModelConfiguration(url: place.url))
    begin()
    chmod(place.folder.path, 0o555)
    defer { chmod(place.folder.path, 0o755) }
    guard access(place.folder.path, W_OK) != 0 else { return }
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try Depot.open(Plan.self, ModelConfiguration(url: place.url))
    }
    #expect(error?.explanation?.contains("change the folder's permissions") == true, "\(error as Any)")
  }

  // MARK: Statements

  enum Statements: SchemaMigrationPlan {
    static let after = Mutex<[String]>([])
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] {
      [.sql(fromVersion: V1.self, toVersion: V2.self, didMigrate: after.withLock { $0 })]
    }
  }

  @Test(
    "Statements of a stage that end the transaction, or take a mandatory value, are refused with the store as it was",
    arguments: [
      (["COMMIT"], "the statement “COMMIT” of a stage begins or ends a transaction"),
      (["UPDATE ZITEM SET ZSLUG = 'x'; ROLLBACK"], "begins or ends a transaction"),
      (["BEGIN"], "leave COMMIT, ROLLBACK"),
      (
        ["UPDATE ZITEM SET ZNAME = NULL"],
        "property “name” of entity “Item” is mandatory, and the statements of a stage"
      ),
      (["UPDATE ZITEM SET ZHEIGHT = NULL"], "property “size.height” of entity “Item”"),
    ])
  func refusedStatements(_ statements: [String], _ complaint: String) throws {
    let place = try TemporaryStore()
    try Depot.fill(ModelConfiguration(url: place.url))
    Statements.after.withLock { $0 = statements }
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try Depot.open(Statements.self, ModelConfiguration(url: place.url))
    }
    #expect(error?.explanation?.contains(complaint) == true, "\(error as Any)")
    Statements.after.withLock { $0 = ["SAVEPOINT a; UPDATE ZITEM SET ZSLUG = 'x', ZWIDTH = NULL; RELEASE a"] }
    let context = try Depot.open(Statements.self, ModelConfiguration(url: place.url))
    #expect(try context.fetch(FetchDescriptor<V2.Item>()).map(\.slug) == ["x"])
  }

  enum Wide {
    struct Size: Codable {
      var width = 5
      var height = 1
    }
    @Model final class Item {
      var name: String
      var size: Size
      init(_ name: String) { (self.name, size) = (name, Size()) }
    }
    @Model final class Entry {
      var text: String
      init(_ text: String) { self.text = text }
    }
  }

  @Test("An element that becomes mandatory is told by its path")
  func mandatoryElement() throws {
    let place = try TemporaryStore()
    try Depot.fill(ModelConfiguration(url: place.url))
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: Wide.Item.self, Wide.Entry.self, configurations: ModelConfiguration(url: place.url))
    }
    #expect(
      error?.explanation?.contains("property “size.width” of entity “Item” is mandatory") == true, "\(error as Any)")
  }
}

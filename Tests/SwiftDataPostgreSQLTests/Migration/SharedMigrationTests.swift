import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import Synchronization
import TestSupport
import Testing

/// A store that several programs have open, or migrate at once, and the options of a migration.
@Suite("Migrations of a shared PostgreSQL store", TestServer.condition)
struct SharedMigrationTests {
  /// A part of the classes.
  enum Part {
    @Model final class Person {
      var name: String
      var age: Int = 7
      init(_ name: String) { self.name = name }
    }
  }

  /// The delete rule and the index are in no version hash.
  enum Plain {
    @Model final class Shelf {
      var name: String
      @Relationship(deleteRule: .cascade, inverse: \Volume.shelf) var volumes: [Volume] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Volume {
      var title: String
      var shelf: Shelf?
      init(_ title: String) { self.title = title }
    }
  }

  enum Changed {
    @Model final class Shelf {
      #Index<Shelf>([\.name])
      var name: String
      @Relationship(deleteRule: .nullify, inverse: \Volume.shelf) var volumes: [Volume] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Volume {
      var title: String
      var shelf: Shelf?
      init(_ title: String) { self.title = title }
    }
  }

  let store: TravelStore

  init() throws {
    store = try TravelStore()
    try TravelStore.fill(ModelContext(try store.open(TravelV1.self)))
  }

  private func message(_ code: SwiftDataError, _ body: () throws -> Void) throws -> String {
    "\(try #require(#expect(throws: code) { try body() }) as any Error)"
  }

  @Test("A container that is open with the old classes neither reads old columns nor writes into the migrated tables")
  func staleContainer() throws {
    let old = try store.open(TravelV1.self)
    let context = ModelContext(old)
    context.autosaveEnabled = false
    let trip = try #require(try context.fetch(FetchDescriptor<TravelV1.Trip>()).first)
    let person = try #require(try context.fetch(FetchDescriptor<TravelV1.Person>()).first)
    _ = try store.open(TravelV2.self)
    let before = try store.dump()
    // A table that was renamed, one that has the same columns as before, and a new row.
    trip.nights = 77
    #expect(try message(.storeFailure) { try context.save() }.contains("was migrated"))
    context.rollback()
    person.name = "Nobody"
    #expect(try message(.storeFailure) { try context.save() }.contains("was migrated"))
    context.rollback()
    context.insert(TravelV1.Stop("new"))
    #expect(try message(.storeFailure) { try context.save() }.contains("was migrated"))
    context.rollback()
    context.delete(person)
    #expect(try message(.storeFailure) { try context.save() }.contains("was migrated"))
    #expect(try store.dump() == before)
    let text = try message(.storeFailure) { _ = try ModelContext(old).fetch(FetchDescriptor<TravelV1.Trip>()) }
    #expect(text.contains("was migrated") && text.contains("open it again"))
  }

  @Test("A container that is open with the old classes reads the rows of a table that the migration left as it was")
  func unchangedTable() throws {
    let context = ModelContext(try store.open(TravelV1.self))
    let new = ModelContext(try store.open(TravelV2.self))
    let titles = (0..<20).flatMap { trip in (0..<trip % 4).map { "\(trip).\($0)" } }
    #expect(try context.fetchCount(FetchDescriptor<TravelV1.Stop>()) == titles.count)
    #expect(try context.fetch(FetchDescriptor<TravelV1.Stop>()).map(\.title).sorted() == titles.sorted())
    let stop = FetchDescriptor<TravelV2.Stop>(predicate: #Predicate { $0.title == "1.0" })
    try #require(try new.fetch(stop).first).title = "changed"
    try new.save()
    let changed = FetchDescriptor<TravelV1.Stop>(predicate: #Predicate { $0.title == "changed" })
    #expect(try context.fetch(changed).map(\.title) == ["changed"])
  }

  @Test("Of programs that open an old store at once, one migrates it; the others wait, and find the new version")
  func atOnce() throws {
    enum Counting: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [TravelV1.self, TravelV2.self] }
      static var stages: [MigrationStage] {
        [
          .custom(fromVersion: TravelV1.self, toVersion: TravelV2.self, willMigrate: nil) { context in
            context.insert(TravelV2.Note("a note"))
            try context.save()
          }
        ]
      }
    }
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      do {
        let context = ModelContext(try store.open(TravelV2.self, plan: Counting.self))
        let count = try context.fetchCount(FetchDescriptor<TravelV2.Note>())
        if count != 1 { failures.withLock { $0.append("\(count) notes") } }
      } catch { failures.withLock { $0.append("\(error)") } }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try store.column("SELECT version::text FROM \(store.schema)._store") == ["2"])
  }

  @Test("A stage with both sides reads an attribute that the new version lacks, and nothing stays of the copy")
  func sideBySide() throws {
    enum BothSides: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [TravelV1.self, TravelV2.self] }
      static var stages: [MigrationStage] {
        [
          .sideBySide(fromVersion: TravelV1.self, toVersion: TravelV2.self) { old, new in
            for trip in try old.fetch(FetchDescriptor<TravelV1.Trip>()) {
              new.insert(TravelV2.Note("\(trip.nights) \(trip.old)"))
            }
          }
        ]
      }
    }
    let context = ModelContext(try store.open(TravelV2.self, plan: BothSides.self))
    let notes = try context.fetch(FetchDescriptor<TravelV2.Note>()).map(\.text)
    #expect(notes.sorted() == (0..<20).map { "\($0) gone" }.sorted())
    #expect(try store.column("SELECT nspname::text FROM pg_namespace WHERE nspname LIKE '\\_migrating%'") == [])
  }

  @Test("A stage in SQL speaks of the store's own tables, and an error in it leaves the store as it was")
  func statements() throws {
    enum Wrong: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [TravelV1.self, TravelV2.self] }
      static var stages: [MigrationStage] {
        [.sql(fromVersion: TravelV1.self, toVersion: TravelV2.self, didMigrate: ["UPDATE journey SET nothing = 1"])]
      }
    }
    enum Right: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [TravelV1.self, TravelV2.self] }
      static var stages: [MigrationStage] {
        [
          .sql(
            fromVersion: TravelV1.self, toVersion: TravelV2.self,
            willMigrate: ["UPDATE trip SET name = upper(name)"], didMigrate: ["UPDATE journey SET slug = lower(title)"])
        ]
      }
    }
    let before = try store.dump()
    #expect(throws: SwiftDataError.self) { try store.open(TravelV2.self, plan: Wrong.self) }
    #expect(try store.dump() == before)
    let context = ModelContext(try store.open(TravelV2.self, plan: Right.self))
    let journeys = try context.fetch(FetchDescriptor<TravelV2.Journey>())
    #expect(journeys.allSatisfy { $0.title.hasPrefix("TRIP") && $0.slug == $0.title.lowercased() })
  }

  @Test(
    "A stage in SQL that ends the transaction is refused, and the store is as it was",
    arguments: ["COMMIT", "rollback", "UPDATE trip SET name = '\\x''y'; COMMIT"])
  func endedTransaction(statement: String) throws {
    enum Ending: SchemaMigrationPlan {
      @TaskLocal static var statement = ""
      static var schemas: [any VersionedSchema.Type] { [TravelV1.self, TravelV2.self] }
      static var stages: [MigrationStage] {
        [
          .sql(
            fromVersion: TravelV1.self, toVersion: TravelV2.self,
            willMigrate: ["UPDATE trip SET name = 'lost'", statement])
        ]
      }
    }
    let before = try store.dump()
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try Ending.$statement.withValue(statement) { _ = try store.open(TravelV2.self, plan: Ending.self) }
    }
    #expect("\(try #require(error) as any Error)".contains("leave COMMIT, ROLLBACK and BEGIN out"))
    #expect(try store.dump() == before)
  }

  @Test("A file for a backup is refused, whether the store is to be migrated or not, and nothing is changed")
  func backup() throws {
    var options = MigrationOptions()
    options.backup = store.folder.url
    func expectRefused(_ version: any VersionedSchema.Type) throws {
      let before = try store.dump()
      let text = try message(.loadIssueModelContainer) { _ = try store.open(version, options: options) }
      #expect(text.contains("pg_dump"))
      #expect(try store.dump() == before)
    }
    try expectRefused(TravelV1.self)
    try expectRefused(TravelV2.self)
    _ = try store.open(TravelV2.self)
    try expectRefused(TravelV2.self)
  }

  @Test("A preview has the changes in words and the SQL, and writes nothing; its statements do what the container does")
  func preview() throws {
    let before = try store.dump()
    let schema = Schema(versionedSchema: TravelV2.self)
    let plan = try #require(try store.configuration().migrationPreview(for: schema))
    #expect(plan.changes.contains { $0.contains("“slug” is added") } && plan.refusal == nil)
    #expect(plan.statements.contains { $0.contains("ADD COLUMN \"slug\" text COLLATE \"C\" DEFAULT 'none'") })
    #expect(plan.statements.contains { $0.hasPrefix("-- has to be 0") })
    let staged = try #require(
      try store.configuration().migrationPreview(
        for: Schema(versionedSchema: TravelV3.self), migrationPlan: TravelPlan.self))
    #expect(
      staged.statements.contains { $0.contains("TravelV2 to TravelV3: here the program's code runs with the old") })
    #expect(staged.statementsAfterCommit.contains { $0.hasPrefix("CREATE INDEX CONCURRENTLY") })
    #expect(try store.dump() == before)
    // The statements run by themselves.
    let connection = try store.server.connect()
    try connection.transaction {
      try connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
      for statement in plan.statements { try connection.execute(statement) }
      let titles = try connection.run("SELECT count(*) FROM \(store.schema).journey WHERE slug = 'none'")
      #expect(titles.integer(0, 0) == 20)
    }
    let other = try TravelStore()
    #expect(try other.configuration().migrationPreview(for: schema) == nil)
    _ = try other.open(TravelV2.self)
    #expect(try other.configuration().migrationPreview(for: schema)?.isNeeded == false)
  }

  @Test("An index that an interrupted program has left is made when the store is opened next")
  func pending() throws {
    _ = try store.open(TravelV3.self, plan: TravelPlan.self)
    let index =
      "SELECT indexname::text FROM pg_indexes WHERE schemaname = '\(store.schema)' AND indexname LIKE 'journey_begins%'"
    let name = try #require(try store.column(index).first)
    let connection = try store.server.connect()
    func leave(_ names: [String]) throws {
      try connection.execute("DROP INDEX \(store.schema).\(name)")
      _ = try connection.run("UPDATE \(store.schema)._store SET pending = $1", [.texts(names)])
    }
    try leave([name])
    _ = try store.open(TravelV3.self)
    #expect(try store.column(index) == [name])
    #expect(try store.column("SELECT unnest(pending) FROM \(store.schema)._store") == [])
    // A migration makes what an earlier one has left, so that it can remove the index, which the older version lacks.
    try leave([name])
    enum Back: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { TravelPlan.schemas }
      static var stages: [MigrationStage] {
        [
          .sql(
            fromVersion: TravelV3.self, toVersion: TravelV2.self,
            willMigrate: ["UPDATE journey SET rating = floor(rating)"])
        ]
      }
    }
    _ = try store.open(TravelV2.self, plan: Back.self)
    #expect(try store.column(index) == [])
    #expect(try store.column("SELECT unnest(pending) FROM \(store.schema)._store") == [])
  }

  @Test("Text that stands among the pending definitions of a store is never run as SQL")
  func hostilePending() throws {
    _ = try store.open(TravelV3.self, plan: TravelPlan.self)
    let connection = try store.server.connect()
    try connection.execute("CREATE TABLE \(store.schema).victim (a integer)")
    let drop = "DROP TABLE \(store.schema).victim"
    _ = try connection.run(
      "UPDATE \(store.schema)._store SET pending = $1", [.texts([drop, "x\u{1}\(drop)", "journey_begins\u{1}\(drop)"])])
    _ = try store.open(TravelV3.self)
    #expect(try store.column("SELECT unnest(pending) FROM \(store.schema)._store") == [])
    #expect(try store.column("SELECT a::text FROM \(store.schema).victim") == [])
  }

  @Test("History speaks of the new names after a migration; changes of removed classes go with a plan")
  func history() throws {
    let context = ModelContext(try store.open(TravelV2.self))
    let changes = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
    let names = Set(changes.map(\.changedPersistentIdentifier.entityName))
    #expect(names == ["Journey", "Stop", "Tag", "Person"])
    let tag = try #require(try context.fetch(FetchDescriptor<TravelV2.Tag>()).first)
    tag.label = "changed"
    try context.save()
    #expect(
      try store.column(
        "SELECT DISTINCT unnest(properties) FROM \(store.schema)._store_changes WHERE kind = 1 AND entity = 'Tag'"
      )
      .contains("label"))
  }

  @Test("Classes that a program does not have keep their tables and rows, and their relationships to its classes")
  func otherEntities() throws {
    let container = try ModelContainer(for: Schema([Part.Person.self]), configurations: [store.configuration()])
    let people = try ModelContext(container).fetch(FetchDescriptor<Part.Person>())
    #expect(people.count == 5 && people.allSatisfy { $0.age == 7 })
    #expect(try store.column("SELECT count(*)::text FROM \(store.schema).trip") == ["20"])
    // It opens as it is from now on, also for a program that knows nothing else.
    let again = try ModelContainer(for: Schema([Part.Person.self]), configurations: [store.configuration()])
    #expect(try ModelContext(again).fetchCount(FetchDescriptor<Part.Person>()) == 5)
    #expect(try store.column("SELECT version::text FROM \(store.schema)._store") == ["2"])
  }

  @Test("A view of somebody else on a column that goes is in the way, is named, and nothing is changed")
  func views() throws {
    try store.server.connect().execute("CREATE VIEW \(store.schema).oldies AS SELECT old FROM \(store.schema).trip")
    let before = try store.dump()
    let text = try message(.loadIssueModelContainer) { _ = try store.open(TravelV2.self) }
    #expect(text.contains("drop the views"))
    #expect(try store.dump() == before)
  }

  @Test("A migration that waits for a reader's lock gives up after the deadline, lets others read, and says so")
  func lockedTables() throws {
    let reader = try store.server.connect()
    try reader.execute("BEGIN")
    try reader.execute("SELECT name FROM \(store.schema).trip")
    let before = try store.dump()
    func open(deadline: Double) throws -> ModelContainer {
      var configuration = PostgreSQLConfiguration(
        store.server.address, databaseSchema: store.schema, deadline: deadline)
      configuration.migration = MigrationOptions()
      return try ModelContainer(for: Schema(versionedSchema: TravelV2.self), configurations: [configuration])
    }
    #expect(throws: SwiftDataError.self) { _ = try open(deadline: 0.5) }
    #expect(try store.dump() == before)
    try reader.execute("COMMIT")
    _ = try open(deadline: 10)
  }

  @Test("A changed delete rule or index, which no version hash tells, is brought to the tables")
  func definitions() throws {
    let other = try TravelStore()
    func open(_ types: [any PersistentModel.Type]) throws -> ModelContainer {
      try ModelContainer(for: Schema(types), configurations: [other.configuration()])
    }
    let context = ModelContext(try open([Plain.Shelf.self, Plain.Volume.self]))
    let shelf = Plain.Shelf("A")
    context.insert(shelf)
    shelf.volumes = [Plain.Volume("B")]
    try context.save()
    _ = try open([Plain.Shelf.self, Plain.Volume.self])
    #expect(try other.column("SELECT version::text FROM \(other.schema)._store") == ["1"])
    for _ in 0..<2 { _ = try open([Changed.Shelf.self, Changed.Volume.self]) }
    #expect(try other.column("SELECT version::text FROM \(other.schema)._store") == ["2"])
    #expect(
      try other.column(
        "SELECT indexname::text FROM pg_indexes WHERE schemaname = '\(other.schema)' AND indexname LIKE 'shelf_name%'"
      ).count
        == 1)
    try other.server.connect().execute("DELETE FROM \(other.schema).shelf")
    #expect(try other.column("SELECT title FROM \(other.schema).volume WHERE shelf_id IS NULL") == ["B"])
  }
}

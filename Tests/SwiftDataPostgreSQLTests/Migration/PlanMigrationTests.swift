import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("Migrations of a PostgreSQL store", TestServer.condition)
struct PlanMigrationTests {
  let store: TravelStore

  init() throws {
    store = try TravelStore()
    try TravelStore.fill(ModelContext(try store.open(TravelV1.self)))
  }

  private func message(_ code: SwiftDataError, _ body: () throws -> Void) throws -> String {
    "\(try #require(#expect(throws: code) { try body() }) as any Error)"
  }

  /// Every value and relationship of the second version, as text.
  private func texts(_ container: ModelContainer) throws -> [String] {
    let context = ModelContext(container)
    var lines: [String] = []
    for journey in try context.fetch(FetchDescriptor<TravelV2.Journey>()) {
      let parts: [String] = [
        journey.title, "\(journey.begins.timeIntervalSinceReferenceDate)", "\(journey.rating)", "\(journey.nights)",
        "\(journey.price ?? -1)", "\(journey.isDone)", "\(journey.feeling)", journey.slug,
        "\(journey.hotel?.street ?? "-") \(journey.hotel?.number ?? -1)",
        journey.leaders.map(\.name).sorted().joined(separator: ","),
        journey.stops.map(\.title).sorted().joined(separator: ","),
        journey.tags.map(\.label).sorted().joined(separator: ","), "\(journey.notes.count)",
      ]
      lines.append(parts.joined(separator: "|"))
    }
    for stop in try context.fetch(FetchDescriptor<TravelV2.Stop>()) {
      lines.append("\(stop.title) of \(stop.trip?.title ?? "-")")
    }
    for person in try context.fetch(FetchDescriptor<TravelV2.Person>()) {
      lines.append("\(person.name): \(person.trips.map(\.title).sorted())")
    }
    for tag in try context.fetch(FetchDescriptor<TravelV2.Tag>()) {
      lines.append("\(tag.label): \(tag.trips.map(\.title).sorted())")
    }
    return lines.sorted()
  }

  @Test("Without a plan the changes are inferred, with the same objects as in a file")
  func inferred() throws {
    try TravelStore.fill(ModelContext(try store.openFile(TravelV1.self)))
    let found = try texts(try store.open(TravelV2.self))
    let expected = try texts(try store.openFile(TravelV2.self))
    #expect(found == expected)
    #expect(found.count > 40)
    // The store is written as before, and opens again as it is.
    let context = ModelContext(try store.open(TravelV2.self))
    context.insert(TravelV2.Guide("New", language: "bg"))
    let journey = TravelV2.Journey("New", begins: .now)
    context.insert(journey)
    try context.save()
    let guides = try ModelContext(try store.open(TravelV2.self)).fetch(FetchDescriptor<TravelV2.Guide>())
    #expect(guides.map(\.language) == ["bg"])
  }

  @Test("Rows with equal values of a new constraint are refused, with a way out that a server has")
  func duplicates() throws {
    _ = try store.open(TravelV2.self)
    let message = try message(.loadIssueModelContainer) { _ = try store.open(TravelV3.self) }
    #expect(message.contains("becomes unique by “title”, and 1 row has the values of another"), "\(message)")
    #expect(message.contains("stay (migration.uniquenessPolicy of the configuration"), "\(message)")
    #expect(message.contains("or remove the others in a custom stage"), "\(message)")
    #expect(try ModelContext(store.open(TravelV2.self)).fetchCount(FetchDescriptor<TravelV2.Journey>()) == 20)
  }

  @Test("A plan's stages run in one transaction, custom code among them, and the definitions are those of a new store")
  func planned() throws {
    let context = ModelContext(try store.open(TravelV3.self, plan: TravelPlan.self))
    let journeys = try context.fetch(FetchDescriptor<TravelV3.Journey>(sortBy: [SortDescriptor(\.begins)]))
    #expect(journeys.count == 19)
    #expect(
      journeys.allSatisfy { $0.slug == $0.title.lowercased() && $0.rating.truncatingRemainder(dividingBy: 1) == 0.5 })
    #expect(try context.fetch(FetchDescriptor<TravelV3.Note>()).map(\.text) == ["migrated"])
    #expect(try context.fetchCount(FetchDescriptor<TravelV3.Stop>()) == (0..<19).reduce(0) { $0 + $1 % 4 })
    // A new store of the last version has the same definitions.
    let new = try TravelStore()
    _ = try new.open(TravelV3.self)
    #expect(try definitions(store.schema) == definitions(new.schema))
    #expect(try store.column("SELECT unnest(pending) FROM \(store.schema)._store") == [])
  }

  /// The columns, constraints and indexes of a schema, without its name.
  private func definitions(_ schema: String) throws -> [String] {
    let columns = try store.column(
      """
      SELECT format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, collation_name)
      FROM information_schema.columns WHERE table_schema = '\(schema)' ORDER BY 1
      """)
    let constraints = try store.column(
      """
      SELECT format('%s: %s %s %s %s', c.conrelid::regclass, CASE WHEN contype IN ('p', 'n') OR c.conrelid IN (SELECT conrelid FROM pg_constraint x WHERE x.contype = 'p' AND cardinality(x.conkey) = 2) THEN '' ELSE conname END, pg_get_constraintdef(c.oid), convalidated, condeferred)
      FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace WHERE n.nspname = '\(schema)' ORDER BY 1
      """)
    let indexes = try store.column(
      "SELECT indexdef FROM pg_indexes WHERE schemaname = '\(schema)' AND indexname NOT LIKE '%pkey%' ORDER BY 1")
    return (columns + constraints + indexes).map { $0.replacing(schema, with: "") }.sorted()
  }

  @Test("A stage that throws, or rows in the way, leave every row and definition as it was")
  func failures() throws {
    struct Stop: Error {}
    enum Failing: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [TravelV1.self, TravelV2.self, TravelV3.self] }
      static var stages: [MigrationStage] {
        [
          TravelPlan.toV2,
          .custom(
            fromVersion: TravelV2.self, toVersion: TravelV3.self,
            willMigrate: { context in
              try context.delete(model: TravelV2.Stop.self)
              for journey in try context.fetch(FetchDescriptor<TravelV2.Journey>()) { context.delete(journey) }
              try context.save()
            }, didMigrate: { _ in throw Stop() }),
        ]
      }
    }
    let before = try store.dump()
    #expect(throws: (any Error).self) { try store.open(TravelV3.self, plan: Failing.self) }
    #expect(try store.dump() == before)
    // Two trips have one name.
    enum Light: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { TravelPlan.schemas }
      static var stages: [MigrationStage] {
        [TravelPlan.toV2, .lightweight(fromVersion: TravelV2.self, toVersion: TravelV3.self)]
      }
    }
    let text = try message(.loadIssueModelContainer) { _ = try store.open(TravelV3.self, plan: Light.self) }
    #expect(text.contains("“title”") && text.contains("1 row"))
    #expect(try store.dump() == before)
  }

  @Test("A newer version, an unknown version and a former version are refused by name")
  func refused() throws {
    enum Late: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [TravelV2.self, TravelV3.self] }
      static var stages: [MigrationStage] { [TravelPlan.toV3] }
    }
    let unknown = try message(.loadIssueModelContainer) { _ = try store.open(TravelV3.self, plan: Late.self) }
    #expect(unknown.contains("TravelV2") && unknown.contains("nearest") && unknown.contains("Trip"))
    _ = try store.open(TravelV3.self, plan: TravelPlan.self)
    enum Whole: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { TravelPlan.schemas }
      static var stages: [MigrationStage] { TravelPlan.stages }
    }
    let newer = try message(.backwardMigration) { _ = try store.open(TravelV2.self, plan: Whole.self) }
    #expect(newer.contains("TravelV3") && newer.contains("newer"))
    // Without a plan, too: the old program would drop what the new one has added.
    let former = try message(.backwardMigration) { _ = try store.open(TravelV1.self) }
    #expect(former.contains("earlier version"))
    // A stage back is gone when the plan has it.
    enum Back: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { TravelPlan.schemas }
      static var stages: [MigrationStage] {
        TravelPlan.stages + [
          .custom(
            fromVersion: TravelV3.self, toVersion: TravelV2.self,
            willMigrate: { context in
              for journey in try context.fetch(FetchDescriptor<TravelV3.Journey>()) { journey.rating.round(.down) }
            }, didMigrate: nil)
        ]
      }
    }
    let context = ModelContext(try store.open(TravelV2.self, plan: Back.self))
    let ratings = try context.fetch(FetchDescriptor<TravelV2.Journey>(sortBy: [SortDescriptor(\.begins)])).map(\.rating)
    #expect(ratings.prefix(6) == [3, 1, 2, 3, 3, 5] && ratings.count == 19)
  }

  @Test("A stage's code links old objects to new ones in one save")
  func newDestinations() throws {
    enum Led: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [TravelV1.self, TravelV2.self] }
      static var stages: [MigrationStage] {
        [
          .custom(
            fromVersion: TravelV1.self, toVersion: TravelV2.self, willMigrate: nil,
            didMigrate: { context in
              let journeys = try context.fetch(FetchDescriptor<TravelV2.Journey>())
              for (index, stop) in try context.fetch(FetchDescriptor<TravelV2.Stop>()).enumerated() {
                let journey = TravelV2.Journey("new \(index % 2)", begins: .now)
                context.insert(journey)
                stop.trip = journey
              }
              let tag = TravelV2.Tag("new")
              context.insert(tag)
              for journey in journeys { journey.tags.append(tag) }
              try context.save()
            })
        ]
      }
    }
    let context = ModelContext(try store.open(TravelV2.self, plan: Led.self))
    let stops = try context.fetch(FetchDescriptor<TravelV2.Stop>())
    #expect(!stops.isEmpty && stops.allSatisfy { $0.trip?.title.hasPrefix("new ") == true })
    let tags = try context.fetch(FetchDescriptor<TravelV2.Tag>(predicate: #Predicate { $0.label == "new" }))
    #expect(tags.map(\.trips.count) == [20])
  }
}

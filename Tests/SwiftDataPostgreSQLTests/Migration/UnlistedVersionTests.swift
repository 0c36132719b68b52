import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("A PostgreSQL store whose version a migration plan does not list", TestServer.condition)
struct UnlistedVersionTests {
  /// Knows the later versions only.
  enum Unlisted: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TravelV2.self, TravelV3.self] }
    static var stages: [MigrationStage] { [TravelPlan.toV3] }
  }

  /// As a program has it before its first migration.
  enum Only: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TravelV2.self] }
    static var stages: [MigrationStage] { [] }
  }

  let store: TravelStore

  init() throws {
    store = try TravelStore()
    try TravelStore.fill(ModelContext(try store.open(TravelV1.self)))
  }

  private func options(infers: Bool) -> MigrationOptions {
    var options = MigrationOptions()
    options.infersUnlistedVersions = infers
    return options
  }

  @Test("It is refused with the way out, and nothing changes")
  func refused() throws {
    let before = try store.dump()
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      _ = try store.open(TravelV2.self, plan: Unlisted.self)
    }
    let message = "\(try #require(error) as any Error)"
    #expect(message.contains("none of the versions of") && message.contains("infersUnlistedVersions"), "\(message)")
    #expect(message.contains("database postgres on \(store.server.folder)"), "\(message)")
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      _ = try store.configuration().migrationPreview(
        for: Schema(versionedSchema: TravelV2.self), migrationPlan: Unlisted.self)
    }
    #expect(try store.dump() == before)
  }

  @Test("Its changes are inferred if the configuration says so, and the preview shows them")
  func inferred() throws {
    let preview = try #require(
      try store.configuration(options: options(infers: true)).migrationPreview(
        for: Schema(versionedSchema: TravelV2.self), migrationPlan: Unlisted.self))
    #expect(preview.isNeeded && preview.refusal == nil && !preview.changes.isEmpty)
    let context = ModelContext(try store.open(TravelV2.self, plan: Unlisted.self, options: options(infers: true)))
    #expect(try context.fetchCount(FetchDescriptor<TravelV2.Journey>()) == 20)
    // Its version is listed from now on.
    _ = try store.open(TravelV2.self, plan: Unlisted.self)
    let again = try #require(
      try store.configuration().migrationPreview(
        for: Schema(versionedSchema: TravelV2.self), migrationPlan: Unlisted.self))
    #expect(!again.isNeeded)
  }

  @Test("A plan of one version infers the changes, as no plan does")
  func onlyVersion() throws {
    let context = ModelContext(try store.open(TravelV2.self, plan: Only.self))
    #expect(try context.fetchCount(FetchDescriptor<TravelV2.Journey>()) == 20)
  }
}

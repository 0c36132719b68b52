import Foundation
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import Synchronization
import TestSupport
import Testing

/// A stage that opens the store that it migrates.
@Suite("Stages that open stores", TestServer.condition, .timeLimit(.minutes(5)))
struct StageOpeningTests {
  @TaskLocal private static var open: @Sendable () throws -> Void = {}

  private enum Opening: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TravelV1.self, TravelV2.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: TravelV1.self, toVersion: TravelV2.self, willMigrate: nil, didMigrate: { _ in try open() })
      ]
    }
  }

  @Test(
    "A stage that opens its own store is refused as in a file, and the store stays as it was",
    arguments: [true, false])
  func ownStore(isFile: Bool) throws {
    let store = try TravelStore()
    func open(_ version: any VersionedSchema.Type) throws {
      let plan: (any SchemaMigrationPlan.Type)? = version == TravelV1.self ? nil : Opening.self
      _ = try isFile ? store.openFile(version, plan: plan) : store.open(version, plan: plan)
    }
    try open(TravelV1.self)
    let error = try Self.$open.withValue({ _ = try isFile ? store.openFile(TravelV2.self) : store.open(TravelV2.self) })
    {
      try #require(#expect(throws: (any Error).self) { try open(TravelV2.self) })
    }
    #expect("\(error)".contains("is being migrated by the stage that opens it"), "\(error)")
    #expect("\(error)".contains("se the stage's context"), "\(error)")
    try open(TravelV1.self)
  }

  @Test("A stage may open another store of the same database, and migrate it")
  func otherStore() throws {
    let (store, other) = (try TravelStore(), try TravelStore())
    for store in [store, other] { _ = try store.open(TravelV1.self) }
    let opened = Mutex(0)
    try Self.$open.withValue({
      _ = try other.open(TravelV2.self)
      opened.withLock { $0 += 1 }
    }) {
      _ = try store.open(TravelV2.self, plan: Opening.self)
    }
    #expect(opened.withLock { $0 } == 1)
    // The other store is of the new version: the old classes do not fit.
    #expect(throws: (any Error).self) { _ = try other.open(TravelV1.self) }
    _ = try other.open(TravelV2.self)
  }
}

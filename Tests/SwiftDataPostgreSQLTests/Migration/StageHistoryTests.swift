import Foundation
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import Synchronization
import TestSupport
import Testing

@Suite("History in the stages of a migration of a PostgreSQL store", TestServer.condition)
struct StageHistoryTests {
  private struct Stop: Error {}
  private static let hasReadAll = Mutex(false)

  private enum Reading: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TravelV1.self, TravelV2.self, TravelV3.self] }
    static var stages: [MigrationStage] {
      [
        TravelPlan.toV2,
        .custom(
          fromVersion: TravelV2.self, toVersion: TravelV3.self,
          willMigrate: { context in
            let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            #expect(!transactions.isEmpty)
            try context.update(model: TravelV2.Journey.self) { $0.set(\.slug, to: "x") }
            try context.save()
            let later = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            #expect(later.count == transactions.count + 1)
            hasReadAll.withLock { $0 = true }
          }, didMigrate: { _ in throw Stop() }),
      ]
    }
  }

  @Test("A stage that reads history stays in the transaction of the migration")
  func reading() throws {
    let store = try TravelStore()
    try TravelStore.fill(ModelContext(try store.open(TravelV1.self)))
    let before = try store.dump()
    #expect(throws: (any Error).self) { try store.open(TravelV3.self, plan: Reading.self) }
    #expect(Self.hasReadAll.withLock { $0 })
    #expect(try store.dump() == before)
  }
}

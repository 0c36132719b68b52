import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// Eight processes save into one database at the same time, and are killed at random moments.
@Suite("Eight processes that are killed", TestServer.condition, .startsProcesses)
struct EightProcessesTests {
  /// The saves of each process's role; 20,000 in all under `make test-full`.
  private static let goal = FullTests.areWanted ? 2_500 : 15

  private static func container(_ address: String, _ schema: String) throws -> ModelContainer {
    let configuration = PostgreSQLConfiguration(address, databaseSchema: schema, connectionLimit: 2, deadline: 60)
    return try ModelContainer(for: SavingProcess.schema, configurations: [configuration])
  }

  @Test("Each acknowledged save of eight processes that are killed at random is there, whole, and none is half there")
  func killed() async throws {
    let folder = try TemporaryStore()
    let server = try #require(TestServer.shared)
    let (log, schema) = (folder.url.path, folder.databaseSchema)
    let container = try Self.container(server.address, schema)
    let kills = try await SavingProcess.killMany(
      roles: 8, saves: Self.goal, log: log, in: container, longest: FullTests.areWanted ? 2_000_000 : .max
    ) { role, microseconds in
      let name = "\(schema)_\(role)"
      let address = server.address + "&application_name=\(name)"
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [
          address = address as String, schema = schema as String, log = log as String, role = role as Int,
          microseconds = microseconds as UInt32,
        ] in
        try SavingProcess(log: log, role: role).run(
          in: EightProcessesTests.container(address, schema), killedAfter: microseconds)
      }
      // The server may still commit what the process had asked for. The next process of the role must not begin before that.
      let connection = try server.connect()
      func sessions() throws -> Int {
        try connection.run("SELECT 1 FROM pg_stat_activity WHERE application_name = $1", [.text(name)]).rowCount
      }
      try await eventually { (try? sessions()) == 0 }
      try #require(sessions() == 0)
    }
    #expect(kills >= 8)
    let saves = try SavingProcess.expectWhole(roles: 8, log: log, in: container)
    let history = try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.count == saves + 1)
    if FullTests.areWanted { print("\(saves) saves of eight roles, by \(kills) processes that were killed") }
  }
}

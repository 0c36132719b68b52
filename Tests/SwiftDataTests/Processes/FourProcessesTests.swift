import Foundation
import StoreInspection
import SwiftData
import TestSupport
import Testing

/// Four processes save into one store at the same time, and are killed at random moments.
@Suite(.startsProcesses) struct FourProcessesTests {
  /// The saves of each process's role; 50,000 in all under `make test-full`.
  private static let goal = FullTests.areWanted ? 12_500 : 40

  private static func container(_ path: String) throws -> ModelContainer {
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: path))
    return try ModelContainer(for: SavingProcess.schema, configurations: configuration)
  }

  @Test("CD-6 Each acknowledged save of four processes that are killed at random is there, whole")
  func killed() async throws {
    let store = try TemporaryStore()
    let path = store.url.path
    _ = try await SavingProcess.killMany(
      roles: 4, saves: Self.goal, log: path, in: Self.container(path),
      longest: FullTests.areWanted ? 2_000_000 : .max
    ) { role, microseconds in
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, role = role as Int, microseconds = microseconds as UInt32] in
        try SavingProcess(log: path, role: role).run(in: FourProcessesTests.container(path), killedAfter: microseconds)
      }
    }
    try SavingProcess.expectWhole(roles: 4, log: path, in: Self.container(path))
    #expect(try StoreChecker.check(store.url) == [])
    try Oracle.expectSound(store.url, fresh: true)
  }
}

import Testing

@testable import LibraryServer

@Suite struct DeskTests {
  @Test("No more requests work at a time than there are places")
  func places() async throws {
    let desk = Desk(try TestPlace.file.database.container(), places: 2)
    let counter = Counter()
    try await withThrowingTaskGroup { group in
      for _ in 0..<20 {
        group.addTask {
          try await desk.serve { _ in
            await counter.enter()
            try await Task.sleep(for: .milliseconds(2))
            await counter.leave()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(await counter.most == 2)
    #expect(await counter.total == 20)
  }

  @Test("A request that is cancelled while it waits leaves the queue, and the next one is served")
  func cancelled() async throws {
    let desk = Desk(try TestPlace.file.database.container(), places: 1)
    try await desk.serve { _ in
      let waiting = Task { try await desk.serve { _ in } }
      try await Task.sleep(for: .milliseconds(20))
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
    }
    try await desk.serve { _ in }
  }

  private actor Counter {
    private var now = 0
    private(set) var most = 0
    private(set) var total = 0
    func enter() {
      now += 1
      total += 1
      most = max(most, now)
    }
    func leave() { now -= 1 }
  }
}

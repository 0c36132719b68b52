import Foundation
import SwiftData

/// Gives each request a library, and lets a limited number of requests work at a time.
///
/// A library is cheap to make: a context and a queue, while the container keeps the connections. But each one that waits for the
/// database holds a thread. The requests that the database could not serve anyway wait here, without one.
actor Desk {
  nonisolated let container: ModelContainer
  private var free: Int
  private var queue: [(number: Int, ticket: CheckedContinuation<Void, any Error>)] = []
  private var last = 0

  init(_ container: ModelContainer, places: Int = 8) {
    self.container = container
    free = places
  }

  /// Does the work of a request.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before its turn comes; the errors of `work`.
  nonisolated func serve<Answer: Sendable>(_ work: (Library) async throws -> Answer) async throws -> Answer {
    try await enter()
    do {
      let answer = try await work(Library(modelContainer: container))
      await leave()
      return answer
    } catch {
      await leave()
      throw error
    }
  }

  private func enter() async throws {
    try Task.checkCancellation()
    if free > 0 {
      free -= 1
      return
    }
    last += 1
    let number = last
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (ticket: CheckedContinuation<Void, any Error>) in
        if Task.isCancelled { ticket.resume(throwing: CancellationError()) } else { queue.append((number, ticket)) }
      }
    } onCancel: {
      Task { await cancel(number) }
    }
  }

  /// Passes the place on to the request that has waited longest.
  private func leave() {
    if queue.isEmpty { free += 1 } else { queue.removeFirst().ticket.resume() }
  }

  private func cancel(_ number: Int) {
    guard let index = queue.firstIndex(where: { $0.number == number }) else { return }
    queue.remove(at: index).ticket.resume(throwing: CancellationError())
  }
}

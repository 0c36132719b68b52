import Dispatch
package import Testing

/// For tests that start processes with `#expect(processExitsWith:)`: they need not queue behind all others to go on.
///
/// A thread of the testing library waits for processes to end. If the test of an ended process is still in the queue, the thread asks again
/// and again. The queue has thousands of tests, so this took a tenth of the suite's CPU time.
///
/// Not for tests that wait for other tasks, which stay in the queue.
package struct ProcessWaits: TestTrait, SuiteTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(OwnThreads.shared) { try await function() }
  }

  /// Runs parts of tests on threads beside those of all other tests.
  private final class OwnThreads: TaskExecutor {
    static let shared = OwnThreads()
    private let queue = DispatchQueue(label: "tests that start processes", qos: .userInitiated, attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
}

extension Trait where Self == ProcessWaits {
  /// The tests start processes.
  package static var startsProcesses: Self { ProcessWaits() }
}

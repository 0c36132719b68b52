import Dispatch
package import Testing

/// For suites whose tests start processes with `#expect(processExitsWith:)`: the tests need not queue behind all others to go on.
///
/// While a process has ended and its test has not gone on to wait for it, a thread of the testing library asks for ended processes without
/// a pause. Thousands of tests may be in the queue before that test, so this took a tenth of the suite's time.
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

package import Testing

/// Tests that go before all others: those that wait for processes of their own (`#expect(processExitsWith:)`).
///
/// Swift Testing reaps an ended process in a task of the test, and this task waits behind those of all other tests. Until then the thread
/// that watches the processes asks the system without a pause, for minutes in a run of all tests.
package struct PromptTests: TestTrait, SuiteTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(function) { function in
      try await Task(priority: .high) { try await function() }.value
    }
  }
}

extension Trait where Self == PromptTests {
  /// Gives the test's tasks a high priority.
  package static var runsPromptly: Self { PromptTests() }
}

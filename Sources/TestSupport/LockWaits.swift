package import Testing

/// Tests in which SQLite's waits for a lock take no time: nobody releases the lock meanwhile.
///
/// SQLite waits up to ten seconds, and so would the tests that have no other thread.
package struct LockWaits: TestTrait, SuiteTrait, TestScoping {
  @TaskLocal static var areSkipped = false

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Self.$areSkipped.withValue(true, operation: function)
  }
}

extension Trait where Self == LockWaits {
  package static var skipsLockWaits: Self { LockWaits() }
}

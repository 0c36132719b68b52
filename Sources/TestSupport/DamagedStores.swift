package import Testing

/// For tests that damage their stores on purpose, or make stores that no program of Apple's would: `tools/check-left-stores` leaves them out.
///
/// A store that is made outside the test's task, as by a static property, knows nothing of the trait.
package struct DamagedStores: TestTrait, SuiteTrait, TestScoping {
  /// What is wrong with the stores, for people who look at those that are left.
  let reason: String

  package var isRecursive: Bool { true }

  /// The reason of the running test; `nil` if its stores are to be sound.
  @TaskLocal package static var reason: String?

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Self.$reason.withValue(reason) { try await function() }
  }
}

extension Trait where Self == DamagedStores {
  /// The tests leave stores that the independent checker refuses.
  package static func damagesStores(_ reason: String) -> Self { DamagedStores(reason: reason) }
}

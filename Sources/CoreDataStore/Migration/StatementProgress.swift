/// Reports the progress of the statements of a migration.
///
///     try StatementProgress { share in print(share) }.whileRunning {
///       try PersistentStore.migrate(at: url, through: [model])
///     }
package struct StatementProgress: Sendable {
  /// Not the function itself: an optimized program of Swift 6.3 crashes when `withValue(nil)` hides a task-local function.
  @TaskLocal static var current: StatementProgress?

  private let body: @Sendable (Double) throws -> Void

  /// - Parameter body: called before each statement with the share of the statements that are done, from 0 to 1. Its error ends the
  ///   migration, and the store is as it was.
  package init(_ body: @escaping @Sendable (Double) throws -> Void) { self.body = body }

  /// Runs an operation whose migrations tell how far they are.
  @discardableResult
  package func whileRunning<Result>(_ operation: () throws -> Result) rethrows -> Result {
    try Self.$current.withValue(self, operation: operation)
  }

  func report(_ share: Double) throws { try body(share) }
}

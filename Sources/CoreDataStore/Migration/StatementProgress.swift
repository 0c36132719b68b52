/// Tells how far the statements of a migration are.
///
///     try StatementProgress.$report.withValue({ share in print(share) }) {
///       try PersistentStore.migrate(at: url, through: [model])
///     }
package enum StatementProgress {
  /// Called before each statement with the share of the statements that are done, from 0 to 1. Its error ends the migration, and the store
  /// is as it was.
  @TaskLocal package static var report: (@Sendable (Double) throws -> Void)?
}

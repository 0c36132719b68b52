import SQLite
import StoreRequests

/// An inferred migration as SQL: checks, then statements, to be run in this order in one transaction.
///
/// A value without input or output, made from two layouts.
struct MigrationScript: Sendable {
  enum Step: Sendable {
    /// A count that must be 0, or the migration is refused.
    case check(String, MigrationObstacle)
    case run(String)
    /// An index or a trigger of another program. It is left out if it no longer fits the tables.
    case attempt(String)
  }

  let steps: [Step]
  /// The new column bitmaps of history, by the entity's number in the old store.
  let bitmaps: [Int: MigratedBitmap]
  /// What the migrated store does not have any more, in words.
  var warnings: [String] = []
}

import SQLite
import StoreRequests

/// An inferred migration as SQL: checks, then statements, to be run in this order in one transaction.
///
/// A value without input or output, made from two layouts.
struct MigrationScript: Sendable {
  enum Step: Sendable {
    /// A count that must be 0, or the migration is refused; then a query may give an example.
    case check(String, MigrationObstacle, example: String? = nil)
    case run(String)
    /// An index or a trigger of another program. It is left out if it no longer fits the tables.
    case attempt(String)
  }

  let steps: [Step]
  /// The new column bitmaps of history, by the entity's number in the old store.
  let bitmaps: [Int: MigratedBitmap]
  /// Uniqueness constraints that are made after the steps, and after rows with equal values have become one.
  var uniqueness: [PendingUniqueness] = []
  /// What the migrated store does not have any more, in words.
  var warnings: [String] = []
}

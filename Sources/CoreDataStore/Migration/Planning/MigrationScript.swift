import SQLite
import StoreRequests

/// An inferred migration as SQL: checks, then statements, to be run in this order in one transaction.
///
/// A value without input or output, made from two layouts.
struct MigrationScript: Sendable {
  enum Step: Sendable {
    /// A query whose count must be 0, otherwise the migration is refused; a second query may give an example.
    case check(String, MigrationObstacle, example: String? = nil)
    case run(String)
    /// An index or a trigger of another program. It is left out if it no longer fits the tables.
    case attempt(String)
  }

  let steps: [Step]
  /// The new column bitmaps of history, by the entity's number in the old store.
  let bitmaps: [Int: MigratedBitmap]
  /// Uniqueness constraints that are added after the steps and after the merge of rows with equal values.
  var uniqueness: [PendingUniqueness] = []
  /// Descriptions of everything that the migration removes from the store.
  var warnings: [String] = []
}

import PostgreSQL
import StoreRequests

/// An inferred migration as SQL: a value without input or output, made from two layouts.
struct MigrationScript: Sendable {
  enum Step: Sendable {
    /// A count that must be 0, or the migration is refused.
    case check(String, MigrationObstacle)
    case run(String)
  }

  /// To be run in this order in one transaction.
  let steps: [Step]
  /// The new uniqueness constraints for which rows with equal values are merged, after the steps; see ``DuplicateRows``.
  let merges: [UniqueConstraint]
  /// To be made after the commit.
  let pending: [LateDefinition]
}

extension MigrationScript {
  /// Runs the steps in the present transaction.
  ///
  /// - Throws: ``MigrationError``, ``StoreProblem``, ``PostgreSQLError``
  func run(on connection: Connection) throws {
    for step in steps {
      switch step {
      case .check(let sql, let obstacle):
        let count = try connection.run(sql).integer(0, 0)
        guard count == 0 else { throw MigrationError(obstacle: obstacle, rowCount: count) }
      case .run(let sql):
        do { try connection.execute(sql) } catch let error as PostgreSQLError where error.state?.isOfDependents == true
        {
          throw StoreProblem(
            "the store was not migrated: others depend on what a statement drops or changes: \(error.problem)",
            remedy: "drop the views, triggers and constraints that use it, and make them anew after the migration")
        }
      }
    }
  }
}

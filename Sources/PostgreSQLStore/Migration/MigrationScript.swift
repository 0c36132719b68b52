import PostgreSQL
import StoreRequests

/// An inferred migration as SQL: a value without input or output, made from two layouts.
struct MigrationScript: Sendable {
  enum Step: Sendable {
    /// A query whose count must be 0, otherwise the migration is refused; a second query may give an example.
    case check(String, MigrationObstacle, example: String? = nil)
    case run(String)
  }

  /// To be run in this order in one transaction.
  let steps: [Step]
  /// The new uniqueness constraints for which rows with equal values are merged, after the steps; see ``DuplicateRows``.
  let merges: [UniqueConstraint]
  /// To be made after the commit.
  let pending: [LateDefinition]
  /// What goes with the old tables, in words.
  let warnings: [String]
}

extension MigrationScript {
  /// Runs the steps in the present transaction.
  ///
  /// - Throws: ``MigrationError``, ``StoreProblem``, ``PostgreSQLError``
  func run(on connection: Connection) throws {
    for step in steps {
      switch step {
      case .check(let sql, let obstacle, let example):
        let count = try connection.run(sql).integer(0, 0)
        guard count == 0 else {
          let text = try example.flatMap { sql in
            let result = try connection.run(sql)
            return result.rowCount > 0 ? result.text(0, 0) : nil
          }
          throw MigrationError(obstacle: obstacle, rowCount: count, example: text)
        }
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

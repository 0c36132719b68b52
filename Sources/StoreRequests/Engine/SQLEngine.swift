import ErrorReporting

/// An engine that answers SQL, for programs that ask in its own tables and columns.
package protocol SQLEngine: StoreEngine {
  /// The SQL of a table of an entity's objects, subentities included, for a `FROM` clause.
  ///
  /// - Throws: ``QueryError`` for an entity that the store does not have.
  func table(of entityName: String) throws -> String

  /// The SQL of the column of an attribute, of a composite's element, or of a to-one relationship's key.
  ///
  /// - Throws: ``QueryError`` for a property that has no column, or several.
  func column(of property: String, element: [String], entityName: String) throws -> String

  /// Runs one statement that reads.
  ///
  /// - Throws: ``SQLProblem`` for a statement that is invalid, or that would write; the engine's own errors.
  func rows(of sql: String, _ values: [StoreValue]) throws -> (columns: [String], rows: [[StoreValue]])
}

/// The reason why an engine does not run a statement.
package struct SQLProblem: ReportableError, Sendable, Hashable {
  package let problem: String
  package let remedy: String?

  package init(_ problem: String, remedy: String) {
    self.problem = problem
    self.remedy = remedy
  }

  package var description: String { "the SQL statement cannot run: \(fullMessage)" }
}

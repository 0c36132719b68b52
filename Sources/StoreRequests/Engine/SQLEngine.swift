import ErrorReporting
package import ManagedModel

/// An engine that answers SQL, for programs that ask in its own tables and columns.
package protocol SQLEngine: StoreEngine {
  /// Runs one statement that reads.
  ///
  /// - Throws: ``SQLProblem`` for a statement that is invalid, or that would write; ``QueryError`` for an entity that the store does not
  ///   have, and for a property that has no column, or several; the engine's own errors.
  func rows(of query: [SQLPart]) throws -> SQLResult
}

/// A part of a statement.
package enum SQLPart: Sendable {
  case text(String)
  /// The table of an entity's objects, subentities included, in a `FROM` clause.
  case table(entityName: String)
  /// The column with the key of a row.
  case key
  /// The column of an attribute, of a composite's element, or of a to-one relationship's key.
  case column(property: String, element: [String], entityName: String)
  /// A value for a placeholder, as a column of the type holds it in Core Data's layout; a decimal number with all of its digits.
  case value(StoreValue, AttributeType)
}

/// The rows of a statement, all in memory.
package struct SQLResult: Sendable {
  package var columns: [String]
  package var rows: [[StoreValue]] = []
  /// The columns with decimal numbers, which are texts if another form would lose digits.
  package var decimalColumns: Set<Int> = []

  package init(columns: [String]) { self.columns = columns }
}

/// The reason why an engine does not run a statement.
package struct SQLProblem: ReportableError, Sendable, Hashable {
  package let problem: String
  package let remedy: String?

  package init(_ problem: String, remedy: String) {
    self.problem = problem
    self.remedy = remedy
  }

  /// The problem of a statement that does more than read.
  package static let writes = SQLProblem(
    "only reading is allowed", remedy: "write a SELECT, and change objects through the context")

  package var description: String { "the SQL statement cannot run: \(fullMessage)" }
}

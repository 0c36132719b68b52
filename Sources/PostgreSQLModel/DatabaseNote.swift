import ErrorReporting

/// A fact of a database that its model does not express, or expresses in another way.
package struct DatabaseNote: ReportableError, Sendable, Hashable {
  package let severity: Severity
  /// The table or view; `nil` for a fact of the whole schema.
  package let table: String?
  package let column: String?
  package let problem: String
  package let remedy: String?

  package enum Severity: Sendable, Hashable {
    /// The model lacks data that the tables have.
    case warning
    /// The model has all data, in another form or with fewer rules.
    case note
  }

  package var place: String? {
    table.map { table in "table \(quoted(table))" + (column.map { ", column \(quoted($0))" } ?? "") }
  }
}

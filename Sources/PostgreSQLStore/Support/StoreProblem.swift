import ErrorReporting

/// The reason why a database cannot be used as a store.
package struct StoreProblem: ReportableError, Sendable, Hashable {
  package let problem: String
  package let remedy: String?

  package init(_ problem: String, remedy: String?) {
    self.problem = problem
    self.remedy = remedy
  }
}

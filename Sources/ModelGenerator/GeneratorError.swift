import ErrorReporting
package import ManagedModel

/// A model for which no classes can be generated.
package struct GeneratorError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the model version.
  package let version: String
  /// The issues that prevent classes for the model; never empty.
  package let issues: [ModelIssue]

  /// All issues, one per line.
  package var description: String {
    issues.map { "model version \(quoted(version)), \($0.fullMessage)" }.joined(separator: "\n")
  }
}

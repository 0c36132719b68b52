package import ManagedModel

/// A model for which no classes can be generated.
public struct GeneratorError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the model version.
  public let version: String
  /// What keeps the model from being classes; never empty.
  package let issues: [ModelIssue]

  /// All that is wrong, each on its line.
  public var description: String {
    issues.map { "model version \(quoted(version)), \($0.message)" }.joined(separator: "\n")
  }
}

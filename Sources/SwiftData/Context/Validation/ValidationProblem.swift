internal import ErrorReporting

/// A value that breaks a rule of its property or is taken though it must be unique, or a deletion that a relationship denies.
/// Not in Apple's framework.
public struct ValidationProblem: Hashable, Sendable, CustomStringConvertible {
  /// The rule that a problem breaks.
  public enum Rule: Hashable, Sendable {
    /// A rule for the value: its type, bounds, length or pattern, or that it is required.
    case value
    /// A bound on the number of objects in the relationship.
    case count
    /// The relationship's delete rule.
    case deletion
    /// That no other object has the same values.
    case uniqueness
  }

  /// The object.
  public let identifier: PersistentIdentifier
  /// The object's entity.
  public let entityName: String
  /// The property; of several that are unique together, the first.
  public let propertyName: String
  /// The broken rule. A server may answer differently for a value that is not unique than for an invalid value.
  public let rule: Rule
  /// The problem, as a predicate of the property: "is less than 1"; does not contain the value itself.
  public let problem: String

  init(_ object: any PersistentModel, _ entityName: String, _ propertyName: String, _ rule: Rule, _ problem: String) {
    self.init(object.persistentModelID, entityName, propertyName, rule, problem)
  }

  init(
    _ identifier: PersistentIdentifier, _ entityName: String, _ propertyName: String, _ rule: Rule, _ problem: String
  ) {
    self.identifier = identifier
    self.entityName = entityName
    self.propertyName = propertyName
    self.rule = rule
    self.problem = problem
  }

  /// The property, the object and the problem.
  public var description: String { "\(entityName).\(propertyName) of \(identifier) \(problem)" }
}

/// The problems of one save.
struct ValidationFailure: ReportableError {
  let problems: [ValidationProblem]

  /// The number of problems in a message; ``SwiftDataError/validationProblems`` has all.
  private static let told = 20

  var problem: String {
    guard problems.count > 1 else { return "\(problems[0]). Nothing was saved." }
    return "\(problems.count) values break the rules of their properties; nothing was saved.\n- "
      + abbreviatedList(problems.map(\.description), limit: Self.told, separator: "\n- ")
  }

  var remedy: String? { nil }
}

extension SwiftDataError {
  init(_ problems: [ValidationProblem]) {
    let failure = ValidationFailure(problems: problems)
    self.init(.modelValidationFailure, failure.problem, underlyingError: failure)
  }
}

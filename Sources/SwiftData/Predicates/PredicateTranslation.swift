internal import Foundation
internal import StoreRequests

/// One pass over a predicate's tree that finds out what it means to the store.
///
/// Where evaluation in memory would throw (a forced unwrap of `nil`), the row is not selected: such places leave a requirement,
/// which has to hold beside the condition, but only where evaluation gets there. Of the objects of a relationship, those for
/// which evaluation would throw do not meet a test.
struct PredicateTranslation {
  let resolver: any ModelResolver
  private var terms: [PredicateExpressions.VariableID: StoreTerm] = [:]
  private var requirements: [FetchExpression] = []
  private var variableCount = 0
  private var depth = 0

  /// How deep predicates may nest; deeper ones are refused instead of overflowing the stack.
  private static let depthLimit = 200
  /// How many elements of a captured collection a condition may be written out for.
  static let expansionLimit = 1000

  init(resolver: any ModelResolver) { self.resolver = resolver }

  // MARK: Expressions

  /// What an expression means to the store.
  mutating func term(_ expression: any PredicateExpression) throws -> StoreTerm {
    guard let expressible = expression as? any StoreExpressible else {
      throw UnsupportedExpression(
        sketch: sketch(expression), reason: "it is not one of the operators that predicates have")
    }
    guard depth < Self.depthLimit else {
      throw UnsupportedExpression(
        sketch: "…", reason: "the predicate is nested more than \(Self.depthLimit) levels deep")
    }
    depth += 1
    defer { depth -= 1 }
    return try expressible.term(in: &self)
  }

  /// The condition that a Boolean expression is, without its requirements.
  mutating func condition(_ expression: any PredicateExpression) throws -> FetchExpression {
    switch try term(expression) {
    case .constant(let value): return .truth(unwrap(value) as? Bool ?? false)
    case .value(let condition): return condition
    default: throw unsupported(expression, "it is not a condition")
    }
  }

  /// The one value that an expression gives.
  mutating func value(_ expression: any PredicateExpression) throws -> FetchExpression {
    try value(of: term(expression), expression)
  }

  /// The one value that a term has.
  func value(of term: StoreTerm, _ expression: any PredicateExpression) throws -> FetchExpression {
    switch term {
    case .value(let value): return value.definite
    case .constant(let constant):
      guard let content = unwrap(constant) else { return .constant(.null) }
      guard let value = storeValue(content) else {
        throw unsupported(expression, "a value of type \(type(of: content)) is not one that a column holds")
      }
      return .constant(value)
    case .object: throw unsupported(expression, "an object can be compared with an object or nil only")
    case .objects:
      throw unsupported(expression, "a to-many relationship can be asked for its count and its members only")
    case .composite: throw unsupported(expression, "a value of several columns can be compared as a whole only")
    case .range: throw unsupported(expression, "a range can be asked for what it contains only")
    case .opaque: throw unsupported(expression, "its values are stored in a form that the store cannot look into")
    }
  }

  func unsupported(_ expression: any PredicateExpression, _ reason: String) -> UnsupportedExpression {
    UnsupportedExpression(sketch: sketch(expression), reason: reason)
  }

  // MARK: Variables

  /// A name for the rows that a quantifier ranges over.
  mutating func makeVariable() -> FetchVariable {
    variableCount += 1
    return FetchVariable(variableCount)
  }

  /// What a variable of the predicate stands for.
  func term<Output>(of variable: PredicateExpressions.Variable<Output>) -> StoreTerm? { terms[variable.key] }

  /// Lets a variable stand for a term.
  mutating func bind<Output>(_ variable: PredicateExpressions.Variable<Output>, to term: StoreTerm) {
    terms[variable.key] = term
  }

  // MARK: Requirements

  /// Notes what has to hold for evaluation not to throw.
  mutating func require(_ condition: FetchExpression) {
    if condition.constantTruth != true { requirements.append(condition) }
  }

  /// Does something apart, and gives the requirements it left as one condition.
  mutating func collectingRequirements<Result>(
    _ body: (inout PredicateTranslation) throws -> Result
  ) rethrows -> (result: Result, requirement: FetchExpression) {
    let outer = requirements
    requirements = []
    defer { requirements = outer }
    let result = try body(&self)
    return (result, .conjunction(requirements))
  }

  /// Does something that evaluation does only where a condition holds.
  mutating func whenever<Result>(
    _ condition: FetchExpression, _ body: (inout PredicateTranslation) throws -> Result
  ) rethrows -> Result {
    let (result, requirement) = try collectingRequirements(body)
    if requirement.constantTruth != true { require(.disjunction([.negation(condition), requirement])) }
    return result
  }

  /// A Boolean expression with its requirements: true exactly where evaluating it gives true.
  mutating func completeCondition(_ expression: any PredicateExpression) throws -> FetchExpression {
    let (condition, requirement) = try collectingRequirements { try $0.condition(expression) }
    return .conjunction([requirement, condition])
  }
}

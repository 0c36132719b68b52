internal import Foundation
internal import StoreRequests

/// Translates a predicate's tree into terms of the store, in one pass.
///
/// If evaluation in memory would throw, for example for a forced unwrap of `nil`, the row is not selected. Such an
/// expression leaves a requirement beside the condition, which applies only if evaluation reaches the expression. A
/// related object for which evaluation would throw fails the test of its quantifier.
struct PredicateTranslation {
  let resolver: any ModelResolver
  private var terms: [PredicateExpressions.VariableID: StoreTerm] = [:]
  private var requirements: [FetchExpression] = []
  private var variableCount = 0
  private var depth = 0

  /// The nesting depth of a predicate. A deeper one is refused, so that it cannot overflow the stack.
  private static let depthLimit = 200
  /// The most elements of a captured collection for which a condition is written out.
  static let expansionLimit = 1000

  init(resolver: any ModelResolver) { self.resolver = resolver }

  // MARK: Expressions

  /// The store's term for an expression.
  mutating func term(_ expression: any PredicateExpression) throws -> StoreTerm {
    guard let expressible = expression as? any StoreExpressible else {
      throw UnsupportedExpression(
        sketch: sketch(expression), reason: "it is not an operator of predicates")
    }
    guard depth < Self.depthLimit else {
      throw UnsupportedExpression(
        sketch: "…", reason: "the predicate is nested more than \(Self.depthLimit) levels deep")
    }
    depth += 1
    defer { depth -= 1 }
    return try expressible.term(in: &self)
  }

  /// A Boolean expression as a condition, without its requirements.
  mutating func condition(_ expression: any PredicateExpression) throws -> FetchExpression {
    switch try term(expression) {
    case .constant(let value): return .truth(unwrap(value) as? Bool ?? false)
    case .value(let condition): return condition
    default: throw unsupported(expression, "it is not a condition")
    }
  }

  /// The single value of an expression.
  mutating func value(_ expression: any PredicateExpression) throws -> FetchExpression {
    try value(of: term(expression), expression)
  }

  /// The single value of a term.
  func value(of term: StoreTerm, _ expression: any PredicateExpression) throws -> FetchExpression {
    switch term {
    case .value(let value): return value.definite
    case .constant(let constant):
      guard let content = unwrap(constant) else { return .constant(.null) }
      guard let value = storeConstant(content) else {
        throw unsupported(expression, "a value of type \(type(of: content)) cannot be stored in a column")
      }
      return .constant(value)
    case .object: throw unsupported(expression, "an object can be compared only with an object or nil")
    case .objects:
      throw unsupported(expression, "a to-many relationship supports only its count and tests of its members")
    case .composite: throw unsupported(expression, "a value with several columns can be compared only as a whole")
    case .range: throw unsupported(expression, "a range supports only tests of what it contains")
    case .opaque: throw unsupported(expression, "the store cannot look into the form in which its values are stored")
    }
  }

  /// The store's constant for a captured value; `nil` for a value that no column holds.
  func storeConstant(_ value: Any) -> StoreValue? {
    storeValue(value, keepsAllDigits: resolver.capabilities.contains(.decimals))
  }

  func unsupported(_ expression: any PredicateExpression, _ reason: String) -> UnsupportedExpression {
    UnsupportedExpression(sketch: sketch(expression), reason: reason)
  }

  // MARK: Variables

  /// Makes a name for the rows of a quantifier.
  mutating func makeVariable() -> FetchVariable {
    variableCount += 1
    return FetchVariable(variableCount)
  }

  /// The term of a predicate's variable.
  func term<Output>(of variable: PredicateExpressions.Variable<Output>) -> StoreTerm? { terms[variable.key] }

  /// Binds a variable to a term.
  mutating func bind<Output>(_ variable: PredicateExpressions.Variable<Output>, to term: StoreTerm) {
    terms[variable.key] = term
  }

  // MARK: Requirements

  /// Adds a requirement, without which evaluation would throw.
  mutating func require(_ condition: FetchExpression) {
    if condition.constantTruth != true { requirements.append(condition) }
  }

  /// Runs a part of the translation, and returns its requirements as one condition.
  mutating func collectingRequirements<Result>(
    _ body: (inout PredicateTranslation) throws -> Result
  ) rethrows -> (result: Result, requirement: FetchExpression) {
    let outer = requirements
    requirements = []
    defer { requirements = outer }
    let result = try body(&self)
    return (result, .conjunction(requirements))
  }

  /// Runs a part of the translation that evaluation reaches only if a condition is true.
  ///
  /// - Parameter condition: asked for only if the part has requirements.
  mutating func whenever<Result>(
    _ condition: @autoclosure () -> FetchExpression, _ body: (inout PredicateTranslation) throws -> Result
  ) rethrows -> Result {
    let (result, requirement) = try collectingRequirements(body)
    if requirement.constantTruth != true { require(.disjunction([.negation(condition()), requirement])) }
    return result
  }

  /// A Boolean expression with its requirements: true exactly if its evaluation returns true.
  mutating func completeCondition(_ expression: any PredicateExpression) throws -> FetchExpression {
    let (condition, requirement) = try collectingRequirements { try $0.condition(expression) }
    return .conjunction([requirement, condition])
  }
}

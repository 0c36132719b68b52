internal import Foundation

/// Evaluates a predicate, or a part of it, for objects in memory, with the result that the store would have.
struct InMemoryEvaluation<Model: PersistentModel> {
  private let variable: PredicateExpressions.Variable<Model>
  private let conditions: [any PredicateExpression<Bool>]

  /// Conditions on the objects that a variable stands for.
  ///
  /// - Throws: ``UnsupportedExpression`` for what may end the program: a division by a number of the object itself.
  init(_ conditions: [any PredicateExpression<Bool>], of variable: PredicateExpressions.Variable<Model>) throws {
    for condition in conditions { try refuseTraps(in: condition) }
    self.conditions = conditions
    self.variable = variable
  }

  /// Whether all conditions hold for an object; not where one of them unwraps what is `nil`,
  /// or takes an element that is not there.
  ///
  /// - Throws: whatever else evaluation throws.
  func matches(_ object: Model) throws -> Bool {
    let bindings = PredicateBindings((variable, object))
    do {
      return try conditions.allSatisfy { try $0.evaluate(bindings) }
    } catch let error as PredicateError where error != .undefinedVariable {
      return false
    }
  }
}

/// Looks through an expression for integer divisions whose divisor is not known to be other than 0.
private func refuseTraps(in expression: any PredicateExpression, depth: Int = 0) throws {
  if let division = expression as? any (MayTrap & PredicateExpression) {
    guard let divisor = division.divisor as? any CapturedNumber, !divisor.isZero else {
      throw UnsupportedExpression(
        sketch: sketch(division), reason: "a division by 0 in memory would end the program; divide by a captured number"
      )
    }
  }
  // The operators are plain values, whose operands a mirror shows.
  for child in Mirror(reflecting: expression).children where depth < 200 {
    if let child = child.value as? any PredicateExpression { try refuseTraps(in: child, depth: depth + 1) }
  }
}

private protocol CapturedNumber {
  var isZero: Bool { get }
}

extension PredicateExpressions.Value: CapturedNumber where Output: BinaryInteger {
  fileprivate var isZero: Bool { value == 0 }
}

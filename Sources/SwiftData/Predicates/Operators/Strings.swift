internal import Foundation
internal import StoreRequests

extension PredicateExpressions.CollectionContainsCollection: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    try translation.string(.contains, base, Base.Output.self, other, Other.Output.self, of: self)
  }

  var sketch: String { "\(SwiftData.sketch(base)).contains(\(SwiftData.sketch(other)))" }
}

extension PredicateExpressions.SequenceStartsWith: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    try translation.string(.starts, base, Base.Output.self, prefix, Prefix.Output.self, of: self)
  }

  var sketch: String { "\(SwiftData.sketch(base)).starts(with: \(SwiftData.sketch(prefix)))" }
}

extension PredicateTranslation {
  /// A function of two strings.
  mutating func string(
    _ function: StringFunction, _ left: any PredicateExpression, _ leftType: Any.Type,
    _ right: any PredicateExpression, _ rightType: Any.Type, of expression: any PredicateExpression
  ) throws -> StoreTerm {
    guard leftType is any StringProtocol.Type, rightType is any StringProtocol.Type else {
      let other = leftType is any StringProtocol.Type ? rightType : leftType
      throw unsupported(expression, "the store cannot look into \(other)")
    }
    return try .value(.string(function, [value(left), value(right)]))
  }
}

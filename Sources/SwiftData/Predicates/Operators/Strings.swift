internal import Foundation
internal import FoundationAdditions
internal import StoreRequests

extension PredicateExpressions.CollectionContainsCollection: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    try translation.string(.contains, base, Base.Output.self, other, Other.Output.self, of: self)
  }

  package var sketch: String { "\(SwiftData.sketch(base)).contains(\(SwiftData.sketch(other)))" }
}

extension PredicateExpressions.SequenceStartsWith: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    try translation.string(.starts, base, Base.Output.self, prefix, Prefix.Output.self, of: self)
  }

  package var sketch: String { "\(SwiftData.sketch(base)).starts(with: \(SwiftData.sketch(prefix)))" }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    try translation.string(.caseInsensitiveCompare, root, Root.Output.self, other, Other.Output.self, of: self)
  }

  package var sketch: String { "\(SwiftData.sketch(root)).caseInsensitiveCompare(\(SwiftData.sketch(other)))" }
}

extension PredicateExpressions.StringLocalizedCompare: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    try translation.string(.localizedCompare, root, Root.Output.self, other, Other.Output.self, of: self)
  }

  package var sketch: String { "\(SwiftData.sketch(root)).localizedCompare(\(SwiftData.sketch(other)))" }
}

extension PredicateExpressions.StringLocalizedStandardContains: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    try translation.string(.localizedStandardContains, root, Root.Output.self, other, Other.Output.self, of: self)
  }

  package var sketch: String { "\(SwiftData.sketch(root)).localizedStandardContains(\(SwiftData.sketch(other)))" }
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

internal import Foundation
internal import StoreRequests

extension PredicateExpressions.Equal: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    .value(
      try translation.equality(lhs, rhs) { one, other in
        (one as? LHS.Output) == (other as? LHS.Output)
      })
  }

  package var sketch: String { "\(SwiftData.sketch(lhs)) == \(SwiftData.sketch(rhs))" }
}

extension PredicateExpressions.NotEqual: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    .value(
      .negation(
        try translation.equality(lhs, rhs) { one, other in
          (one as? LHS.Output) == (other as? LHS.Output)
        }))
  }

  package var sketch: String { "\(SwiftData.sketch(lhs)) != \(SwiftData.sketch(rhs))" }
}

internal import Foundation
internal import StoreRequests

extension PredicateExpressions.Variable: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    guard let term = translation.term(of: self) else {
      throw translation.unsupported(self, "it is a variable of another predicate")
    }
    return term
  }

  package var sketch: String { "$0" }
}

extension PredicateExpressions.Value: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm { .constant(value) }

  package var sketch: String { "(a captured \(Output.self))" }
}

extension PredicateExpressions.NilLiteral: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    .constant(Optional<Wrapped>(nil) as Any)
  }

  package var sketch: String { "nil" }
}

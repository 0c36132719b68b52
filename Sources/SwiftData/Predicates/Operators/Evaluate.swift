internal import Foundation
internal import FoundationAdditions

extension PredicateExpressions.ExpressionEvaluate: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    guard case .constant(let constant) = try translation.term(expression),
      let expression = constant as? Transformation.Output
    else { throw translation.unsupported(self, "the expression to evaluate is not known before the fetch") }
    for (variable, input) in repeat (each expression.variable, each input) {
      translation.bind(variable, to: try translation.term(input))
    }
    return try translation.term(expression.expression)
  }

  package var sketch: String { "\(SwiftData.sketch(expression)).evaluate(…)" }
}

extension PredicateExpressions.Evaluation: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    translation.bind(expression.variable, to: try translation.term(argument))
    return try translation.term(expression.expression)
  }
}

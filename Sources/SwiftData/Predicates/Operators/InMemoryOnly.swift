internal import Foundation
internal import StoreRequests

/// An operator that the store can evaluate for captured values only.
private protocol InMemoryOnly: StoreExpressible, PredicateExpression {
  var operands: [any PredicateExpression] { get }
  /// The ability that the store lacks.
  var reason: String { get }
}

extension InMemoryOnly {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    for operand in operands {
      guard case .constant = try translation.term(operand) else {
        throw translation.unsupported(self, reason)
      }
    }
    do {
      return .constant(try CheckedEvaluation(of: self)(PredicateBindings()))
    } catch let error as PredicateError {
      // An operand may be an element of a captured collection, which only the translation knows.
      if error.isUndefinedVariable { throw translation.unsupported(self, reason) }
      translation.require(.truth(false))
      return .constant(Output?.none as Any)
    }
  }
}

extension PredicateExpressions.SequenceMaximum: InMemoryOnly {
  fileprivate var operands: [any PredicateExpression] { [elements] }
  fileprivate var reason: String { "the store cannot look into \(Elements.Output.self)" }
  package var sketch: String { "\(SwiftData.sketch(elements)).max()" }
}

extension PredicateExpressions.SequenceMinimum: InMemoryOnly {
  fileprivate var operands: [any PredicateExpression] { [elements] }
  fileprivate var reason: String { "the store cannot look into \(Elements.Output.self)" }
  package var sketch: String { "\(SwiftData.sketch(elements)).min()" }
}

extension PredicateExpressions.CollectionIndexSubscript: InMemoryOnly {
  fileprivate var operands: [any PredicateExpression] { [wrapped, index] }
  fileprivate var reason: String { "the store cannot look into \(Wrapped.Output.self) by index" }
  package var sketch: String { "\(SwiftData.sketch(wrapped))[\(SwiftData.sketch(index))]" }
}

extension PredicateExpressions.CollectionRangeSubscript: InMemoryOnly {
  fileprivate var operands: [any PredicateExpression] { [wrapped, range] }
  fileprivate var reason: String { "the store cannot look into \(Wrapped.Output.self) by index" }
  package var sketch: String { "\(SwiftData.sketch(wrapped))[\(SwiftData.sketch(range))]" }
}

extension PredicateExpressions.DictionaryKeySubscript: InMemoryOnly {
  fileprivate var operands: [any PredicateExpression] { [wrapped, key] }
  fileprivate var reason: String { "the store cannot look into dictionaries" }
  package var sketch: String { "\(SwiftData.sketch(wrapped))[\(SwiftData.sketch(key))]" }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: InMemoryOnly {
  fileprivate var operands: [any PredicateExpression] { [wrapped, key, self.default] }
  fileprivate var reason: String { "the store cannot look into dictionaries" }
  package var sketch: String { "\(SwiftData.sketch(wrapped))[\(SwiftData.sketch(key)), default: …]" }
}

extension PredicateExpressions.StringContainsRegex: InMemoryOnly {
  fileprivate var operands: [any PredicateExpression] { [subject, regex] }
  fileprivate var reason: String { "the store does not support regular expressions" }
  package var sketch: String { "\(SwiftData.sketch(subject)).contains(/…/)" }
}

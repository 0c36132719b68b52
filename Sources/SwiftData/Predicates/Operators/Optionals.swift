internal import Foundation
internal import StoreRequests

extension PredicateExpressions.OptionalFlatMap: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let inner = try translation.term(wrapped)
    let isNil = translation.isNil(inner)
    if isNil.constantTruth == true { return .constant(Optional<Result>(nil) as Any) }
    translation.bind(variable, to: inner)
    let result = try translation.whenever(.negation(isNil)) { try $0.term(transform) }
    if isNil.constantTruth == false { return result }
    switch result {
    // A property or a relationship of a missing object is already `nil`.
    case .value(.attribute), .object, .objects, .composite, .opaque: return result
    case .constant, .value, .range:
      return .value(
        .conditional(isNil, then: .constant(.null), otherwise: try translation.value(of: result, transform)))
    }
  }

  package var sketch: String {
    let inner = SwiftData.sketch(wrapped)
    let outer = SwiftData.sketch(transform)
    return outer.hasPrefix("$0.") ? "\(inner)?\(outer.dropFirst(2))" : "\(inner).flatMap { \(outer) }"
  }
}

extension PredicateExpressions.NilCoalesce: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let first = try translation.term(lhs)
    let isNil = translation.isNil(first)
    if let truth = isNil.constantTruth { return truth ? try translation.term(rhs) : first }
    let second = try translation.whenever(isNil) { try $0.term(rhs) }
    // The to-many relationship of a missing object is an empty collection.
    if case .objects = first, case .constant(let constant) = second, let empty = constant as? any Collection,
      empty.isEmpty
    {
      return first
    }
    if case .opaque(let list) = first, case .constant(let constant) = second,
      translation.resolver.capabilities.contains(.collections), let array = constant as? any ArrayValue & Encodable
    {
      let archive = try? ArchivedCollection.encode(array)
      if let archive { return .opaque(.coalesce(list, .constant(.blob(archive)))) }
    }
    let value = try translation.value(of: first, lhs)
    let replacement = try translation.value(of: second, rhs)
    // `x.flatMap { … } ?? false`, the form of `if let`, becomes a condition, which an index can serve.
    if case .conditional(let test, then: .constant(.null), otherwise: let body) = value, body.isCondition,
      let truth = replacement.constantTruth
    {
      return .value(truth ? .disjunction([test, body]) : .conjunction([.negation(test), body]))
    }
    return .value(.coalesce(value, replacement))
  }

  package var sketch: String { "(\(SwiftData.sketch(lhs)) ?? \(SwiftData.sketch(rhs)))" }
}

extension PredicateExpressions.ForcedUnwrap: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let term = try translation.term(inner)
    translation.require(.negation(translation.isNil(term)))
    return term
  }

  package var sketch: String { "\(SwiftData.sketch(inner))!" }
}

internal import Foundation
internal import StoreRequests

extension PredicateExpressions.Range: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    try .range(lower: translation.term(lower), upper: translation.term(upper), includesUpper: false)
  }

  package var sketch: String { "(\(SwiftData.sketch(lower)) ..< \(SwiftData.sketch(upper)))" }
}

extension PredicateExpressions.ClosedRange: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    try .range(lower: translation.term(lower), upper: translation.term(upper), includesUpper: true)
  }

  package var sketch: String { "(\(SwiftData.sketch(lower)) ... \(SwiftData.sketch(upper)))" }
}

extension PredicateExpressions.RangeExpressionContains: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let bounds = try translation.term(range)
    let wanted = try translation.term(element)
    if case (.constant(let range as RangeExpression.Output), .constant(let value as Element.Output)) = (bounds, wanted)
    {
      return .constant(range.contains(value))
    }
    guard isOrderedAsStored(Element.Output.self) else {
      throw translation.unsupported(self, "the order of \(Element.Output.self) is not that of its stored values")
    }
    let value = try translation.value(of: wanted, element)
    switch bounds {
    case .range(let lower, let upper, let includesUpper):
      let limits = try (translation.value(of: lower, range), translation.value(of: upper, range))
      return .value(
        .conjunction([
          .comparison(.greaterOrEqual, value, limits.0),
          .comparison(includesUpper ? .lessOrEqual : .less, value, limits.1),
        ]))
    case .constant(let range as any StoredRange):
      let lower = range.lower.flatMap { translation.storeConstant($0) }.map {
        FetchExpression.comparison(.greaterOrEqual, value, .constant($0))
      }
      let upper = range.upper.flatMap { translation.storeConstant($0) }.map {
        FetchExpression.comparison(range.includesUpper ? .lessOrEqual : .less, value, .constant($0))
      }
      return .value(.conjunction([lower, upper].compactMap(\.self)))
    default:
      throw translation.unsupported(range, "\(RangeExpression.Output.self) is not a kind of range the store knows")
    }
  }

  package var sketch: String { "\(SwiftData.sketch(range)).contains(\(SwiftData.sketch(element)))" }
}

/// A range between two bounds, either of which may be open.
private protocol StoredRange {
  var lower: Any? { get }
  var upper: Any? { get }
  var includesUpper: Bool { get }
}

extension Range: StoredRange {
  fileprivate var lower: Any? { lowerBound }
  fileprivate var upper: Any? { upperBound }
  fileprivate var includesUpper: Bool { false }
}

extension ClosedRange: StoredRange {
  fileprivate var lower: Any? { lowerBound }
  fileprivate var upper: Any? { upperBound }
  fileprivate var includesUpper: Bool { true }
}

extension PartialRangeFrom: StoredRange {
  fileprivate var lower: Any? { lowerBound }
  fileprivate var upper: Any? { nil }
  fileprivate var includesUpper: Bool { false }
}

extension PartialRangeUpTo: StoredRange {
  fileprivate var lower: Any? { nil }
  fileprivate var upper: Any? { upperBound }
  fileprivate var includesUpper: Bool { false }
}

extension PartialRangeThrough: StoredRange {
  fileprivate var lower: Any? { nil }
  fileprivate var upper: Any? { upperBound }
  fileprivate var includesUpper: Bool { true }
}

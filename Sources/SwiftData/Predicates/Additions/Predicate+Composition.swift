public import Foundation
internal import StoreRequests

// Foundation 27 has these; Foundation for Linux has neither them nor `evaluate` inside `#Predicate`.

extension Predicate {
  /// A predicate that holds where all of the given ones hold; of none, always. Apple: Foundation 27.
  ///
  ///     let query = Predicate(all: [isUnread, isRecent])
  public init(all predicates: some BidirectionalCollection<Predicate<repeat each Input>>) {
    self.init { (variables: repeat PredicateExpressions.Variable<each Input>) in
      PredicateExpressions.Composition(.all, Array(predicates), repeat each variables)
    }
  }

  /// A predicate that holds where any of the given ones holds; of none, never. Apple: Foundation 27.
  public init(any predicates: some BidirectionalCollection<Predicate<repeat each Input>>) {
    self.init { (variables: repeat PredicateExpressions.Variable<each Input>) in
      PredicateExpressions.Composition(.any, Array(predicates), repeat each variables)
    }
  }

  /// A predicate that holds where the given one does not. Not in Apple's Foundation.
  public init(not predicate: Predicate<repeat each Input>) {
    self.init { (variables: repeat PredicateExpressions.Variable<each Input>) in
      PredicateExpressions.Composition(.none, [predicate], repeat each variables)
    }
  }
}

extension PredicateExpressions {
  /// How many predicates of a composition have to hold.
  public enum CompositionKind: String, Codable, Sendable {
    /// All of them.
    case all
    /// At least one.
    case any
    /// Not one.
    case none
  }

  /// Predicates made into one, evaluated in order until the result is known.
  public struct Composition<each Input>: StandardPredicateExpression, CustomStringConvertible {
    /// What the operator gives.
    public typealias Output = Bool

    /// How many of the predicates have to hold.
    public let kind: CompositionKind
    /// The predicates.
    public let predicates: [Predicate<repeat each Input>]
    /// What the predicates are asked about.
    public let variable: (repeat Variable<each Input>)

    init(_ kind: CompositionKind, _ predicates: [Predicate<repeat each Input>], _ variable: repeat Variable<each Input>)
    {
      self.kind = kind
      self.predicates = predicates
      self.variable = (repeat each variable)
    }

    /// Whether the predicates hold as ``kind`` asks.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      for predicate in predicates {
        let holds = try predicate.evaluate(repeat (each variable).evaluate(bindings))
        if holds != (kind == .all) { return kind == .any }
      }
      return kind != .any
    }

    /// Not possible: Foundation for Linux cannot encode predicates.
    public init(from decoder: any Decoder) throws {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: Self.codingProblem))
    }

    /// Not possible: Foundation for Linux cannot encode predicates.
    public func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(
        self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: Self.codingProblem))
    }

    private static var codingProblem: String { "Predicates of predicates cannot be encoded." }

    /// The predicates as they may have been written, captured values left out.
    public var description: String { sketch }
  }
}

extension PredicateExpressions.Composition: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    var conditions: [FetchExpression] = []
    let inputs = try PredicateTranslation.inputs(repeat each variable, in: &translation)
    for predicate in predicates {
      // Each is evaluated only if those before it have left the result open.
      let known = FetchExpression.conjunction(kind == .all ? conditions : conditions.map { .negation($0) })
      let condition = try translation.whenever(known) { translation in
        bind(predicate, to: inputs, in: &translation)
        return try translation.condition(predicate.expression)
      }
      conditions.append(condition)
    }
    switch kind {
    case .all: return .value(.conjunction(conditions))
    case .any: return .value(.disjunction(conditions))
    case .none: return .value(.negation(.disjunction(conditions)))
    }
  }

  /// Lets a predicate's variables stand for what this one's stand for.
  func bind(
    _ predicate: Predicate<repeat each Input>, to terms: [StoreTerm], in translation: inout PredicateTranslation
  ) {
    var position = 0
    for variable in repeat each predicate.variable {
      translation.bind(variable, to: terms[position])
      position += 1
    }
  }

  var sketch: String {
    let separator = kind == .all ? " && " : " || "
    let text = "(" + predicates.map { SwiftData.sketch($0.expression) }.joined(separator: separator) + ")"
    return kind == .none ? "!\(text)" : text
  }
}

extension PredicateTranslation {
  /// What variables stand for, in their order.
  static func inputs<each Input>(
    _ variables: repeat PredicateExpressions.Variable<each Input>, in translation: inout PredicateTranslation
  ) throws -> [StoreTerm] {
    var terms: [StoreTerm] = []
    for variable in repeat each variables { terms.append(try translation.term(variable)) }
    return terms
  }
}

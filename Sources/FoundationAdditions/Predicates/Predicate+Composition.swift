#if !canImport(Darwin)
  public import Foundation

  // Foundation 27 has these initializers. Foundation for Linux has neither them nor `evaluate` inside `#Predicate`.

  extension Predicate {
    /// A predicate that is true if all of the given predicates are; true if there are none. Apple: Foundation 27.
    ///
    ///     let query = Predicate(all: [isUnread, isRecent])
    public init(all predicates: some BidirectionalCollection<Predicate<repeat each Input>>) {
      self.init { (variables: repeat PredicateExpressions.Variable<each Input>) in
        PredicateExpressions.Composition(.all, Array(predicates), repeat each variables)
      }
    }

    /// A predicate that is true if any of the given predicates is; false if there are none. Apple: Foundation 27.
    public init(any predicates: some BidirectionalCollection<Predicate<repeat each Input>>) {
      self.init { (variables: repeat PredicateExpressions.Variable<each Input>) in
        PredicateExpressions.Composition(.any, Array(predicates), repeat each variables)
      }
    }

    /// A predicate that is true if the given predicate is false. Not in Apple's Foundation.
    public init(not predicate: Predicate<repeat each Input>) {
      self.init { (variables: repeat PredicateExpressions.Variable<each Input>) in
        PredicateExpressions.Composition(.none, [predicate], repeat each variables)
      }
    }
  }

  extension PredicateExpressions {
    /// The number of predicates of a composition that have to be true.
    public enum CompositionKind: String, Codable, Sendable {
      /// All of them.
      case all
      /// At least one.
      case any
      /// Not one.
      case none
    }

    /// Several predicates as one. They are evaluated in order until the result is known.
    public struct Composition<each Input>: StandardPredicateExpression, CustomStringConvertible {
      /// The result of the operator.
      public typealias Output = Bool

      /// The number of predicates that have to be true.
      public let kind: CompositionKind
      /// The predicates of the composition.
      public let predicates: [Predicate<repeat each Input>]
      /// The variables that the predicates are evaluated with.
      public let variable: (repeat Variable<each Input>)

      init(
        _ kind: CompositionKind, _ predicates: [Predicate<repeat each Input>], _ variable: repeat Variable<each Input>
      ) {
        self.kind = kind
        self.predicates = predicates
        self.variable = (repeat each variable)
      }

      /// Whether as many predicates are true as ``kind`` demands.
      public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
        for predicate in flattened {
          let holds = try predicate.evaluate(repeat (each variable).evaluate(bindings))
          if holds != (kind == .all) { return kind == .any }
        }
        return kind != .any
      }

      /// The predicates. An inner composition of the same kind is replaced by its own predicates.
      ///
      /// So compositions of compositions, as a loop makes them, are no deeper than one.
      package var flattened: [Predicate<repeat each Input>] {
        let innerKind = kind == .none ? .any : kind
        var result: [Predicate<repeat each Input>] = []
        var waiting: [Predicate<repeat each Input>] = predicates.reversed()
        while let next = waiting.popLast() {
          if let inner = next.expression as? Self, inner.kind == innerKind {
            waiting += inner.predicates.reversed()
          } else {
            result.append(next)
          }
        }
        return result
      }

      /// Always throws: Foundation for Linux cannot decode predicates.
      public init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(codingPath: decoder.codingPath, debugDescription: Self.codingProblem))
      }

      /// Always throws: Foundation for Linux cannot encode predicates.
      public func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(
          self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: Self.codingProblem))
      }

      private static var codingProblem: String { "Predicates of predicates cannot be encoded." }

      /// The predicates as source code, without captured values.
      public var description: String { sketch }
    }
  }

  extension PredicateExpressions.Composition: SketchedExpression {
    package var sketch: String {
      let separator = kind == .all ? " && " : " || "
      let text = "(" + predicates.map { ExpressionSketch.of($0.expression) }.joined(separator: separator) + ")"
      return kind == .none ? "!\(text)" : text
    }
  }
#endif

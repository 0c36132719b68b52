#if !canImport(Darwin)
  public import Foundation

  // Foundation for Linux has an operator for `evaluate(_:)`, but only for `Codable` expressions, of which it has none.

  extension PredicateExpressions {
    /// A captured predicate or expression that another one evaluates.
    /// Apple: `PredicateExpressions.PredicateEvaluate` and `PredicateExpressions.ExpressionEvaluate`.
    public struct Evaluation<Argument: PredicateExpression, Output>: PredicateExpression, CustomStringConvertible {
      /// The captured expression.
      public let expression: Expression<Argument.Output, Output>
      /// The value of its variable.
      public let argument: Argument

      init(_ expression: Expression<Argument.Output, Output>, of argument: Argument) {
        self.expression = expression
        self.argument = argument
      }

      /// The result of the captured expression.
      public func evaluate(_ bindings: PredicateBindings) throws -> Output {
        try expression.evaluate(argument.evaluate(bindings))
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

      private static var codingProblem: String { "Predicates that evaluate others cannot be encoded." }

      /// The captured expression as source code, without captured values.
      public var description: String { sketch }
    }

    /// `#Predicate` calls this for `evaluate(_:)` of a captured expression.
    public static func build_subscript<Argument, Output>(
      _ expression: Value<Expression<Argument.Output, Output>>, _ argument: Argument
    ) -> Evaluation<Argument, Output> {
      Evaluation(expression.value, of: argument)
    }

    /// `#Predicate` calls this for `evaluate(_:)` of a captured predicate.
    public static func build_subscript<Argument>(
      _ predicate: Value<Predicate<Argument.Output>>, _ argument: Argument
    ) -> Evaluation<Argument, Bool> {
      let predicate = predicate.value
      return Evaluation(Expression { Composition(.all, [predicate], $0) }, of: argument)
    }

    /// The result of a captured expression. Apple: `PredicateExpressions.build_evaluate(_:_:)`.
    public static func build_evaluate<Argument, Output>(
      _ expression: Value<Expression<Argument.Output, Output>>, _ argument: Argument
    ) -> Evaluation<Argument, Output> {
      build_subscript(expression, argument)
    }

    /// Whether a captured predicate is true. Apple: `PredicateExpressions.build_evaluate(_:_:)`.
    public static func build_evaluate<Argument>(
      _ predicate: Value<Predicate<Argument.Output>>, _ argument: Argument
    ) -> Evaluation<Argument, Bool> {
      build_subscript(predicate, argument)
    }
  }

  extension PredicateExpressions.Evaluation: SketchedExpression {
    package var sketch: String { ExpressionSketch.of(expression.expression) }
  }

  extension PredicateExpressions.Evaluation: Sendable where Argument: Sendable {}
  extension PredicateExpressions.Evaluation: Codable where Argument: Codable {}
  extension PredicateExpressions.Evaluation: StandardPredicateExpression
  where Argument: StandardPredicateExpression {}

  extension Predicate {
    /// Whether the predicate is true. The macro `#Predicate` of models writes this for a call of `evaluate(_:)`.
    public subscript(_ input: repeat each Input) -> Bool {
      get throws { try evaluate(repeat each input) }
    }
  }

  extension Expression {
    /// The expression's value. The macro `#Predicate` of models writes this for a call of `evaluate(_:)`.
    public subscript(_ input: repeat each Input) -> Output {
      get throws { try evaluate(repeat each input) }
    }
  }
#endif

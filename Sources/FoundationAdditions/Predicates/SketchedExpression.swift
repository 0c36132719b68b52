#if !canImport(Darwin)
  package import Foundation

  /// A predicate operator that can write itself as source code, without captured values.
  ///
  /// Foundation's text of a predicate ends the program where an operator is not Foundation's.
  package protocol SketchedExpression {
    /// The expression as source code.
    var sketch: String { get }
  }

  /// The text of an expression for messages.
  package enum ExpressionSketch {
    /// An expression as source code. It shows no captured values.
    package static func of(_ expression: any PredicateExpression) -> String {
      (expression as? any SketchedExpression)?.sketch ?? "an expression of type \(type(of: expression))"
    }
  }
#endif

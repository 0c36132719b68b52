#if !canImport(Darwin)
  public import Foundation

  // Foundation for Linux has the method, but not the operator that `#Predicate` makes of it.

  extension PredicateExpressions {
    /// The order of two strings in the current locale.
    /// Apple: `PredicateExpressions.StringLocalizedCompare`.
    public struct StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression>:
      PredicateExpression, CustomStringConvertible
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
      /// The result of the operator.
      public typealias Output = ComparisonResult

      /// The left string.
      public let root: Root
      /// The right string.
      public let other: Other

      /// The operator with its operands.
      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      /// The order of the two strings.
      public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
        try String(root.evaluate(bindings)).localizedCompare(String(other.evaluate(bindings)))
      }

      /// The operator with its operands, as text.
      public var description: String { "\(root).localizedCompare(\(other))" }
    }

    /// `#Predicate` calls this for `localizedCompare(_:)`.
    public static func build_localizedCompare<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StringLocalizedCompare<Root, Other> {
      StringLocalizedCompare(root: root, other: other)
    }
  }

  extension PredicateExpressions.StringLocalizedCompare: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
  extension PredicateExpressions.StringLocalizedCompare: Codable where Root: Codable, Other: Codable {}
  extension PredicateExpressions.StringLocalizedCompare: Sendable where Root: Sendable, Other: Sendable {}
#endif

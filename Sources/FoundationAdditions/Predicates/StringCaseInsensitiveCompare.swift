#if !canImport(Darwin)
  public import Foundation

  // Foundation for Linux has the method, but not the operator that `#Predicate` makes of it.

  extension PredicateExpressions {
    /// The order of two strings, ignoring case.
    /// Apple: `PredicateExpressions.StringCaseInsensitiveCompare`.
    public struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>:
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
        try String(root.evaluate(bindings)).caseInsensitiveCompare(String(other.evaluate(bindings)))
      }

      /// The operator with its operands, as text.
      public var description: String { "\(root).caseInsensitiveCompare(\(other))" }
    }

    /// `#Predicate` calls this for `caseInsensitiveCompare(_:)`.
    public static func build_caseInsensitiveCompare<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StringCaseInsensitiveCompare<Root, Other> {
      StringCaseInsensitiveCompare(root: root, other: other)
    }
  }

  extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
  extension PredicateExpressions.StringCaseInsensitiveCompare: Codable where Root: Codable, Other: Codable {}
  extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable where Root: Sendable, Other: Sendable {}
#endif

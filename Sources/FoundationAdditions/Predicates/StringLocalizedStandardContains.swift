#if !canImport(Darwin)
  public import Foundation

  // Foundation for Linux has the method, but not the operator that `#Predicate` makes of it.

  extension PredicateExpressions {
    /// Whether a string contains another, ignoring case, diacritics and the width of letters, as in a search by a person.
    /// Apple: `PredicateExpressions.StringLocalizedStandardContains`.
    public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
      PredicateExpression, CustomStringConvertible
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
      /// The result of the operator.
      public typealias Output = Bool

      /// The string to search in.
      public let root: Root
      /// The string to search for.
      public let other: Other

      /// The operator with its operands.
      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      /// Whether the first string contains the second.
      public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
        try Self.foldingWidth(root.evaluate(bindings))
          .localizedStandardContains(Self.foldingWidth(other.evaluate(bindings)))
      }

      /// macOS ignores the width of letters, Foundation's method on Linux does not. Fetches do the same in `StringFunctions` of
      /// `StoreRequests`, which this module cannot see.
      private static func foldingWidth(_ text: some StringProtocol) -> String {
        let text = String(text)
        return text.utf8.allSatisfy { $0 < 0x80 } ? text : text.folding(options: .widthInsensitive, locale: nil)
      }

      /// The operator with its operands, as text.
      public var description: String { "\(root).localizedStandardContains(\(other))" }
    }

    /// `#Predicate` calls this for `localizedStandardContains(_:)`.
    public static func build_localizedStandardContains<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> {
      StringLocalizedStandardContains(root: root, other: other)
    }
  }

  extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
  extension PredicateExpressions.StringLocalizedStandardContains: Codable where Root: Codable, Other: Codable {}
  extension PredicateExpressions.StringLocalizedStandardContains: Sendable where Root: Sendable, Other: Sendable {}
#endif

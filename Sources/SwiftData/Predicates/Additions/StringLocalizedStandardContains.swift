public import Foundation
internal import StoreRequests

// Foundation for Linux has the method, but not the operator that `#Predicate` turns it into.

extension PredicateExpressions {
  /// Whether a string occurs in another as people would search for it: case and diacritics ignored.
  /// Apple: `PredicateExpressions.StringLocalizedStandardContains`.
  public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression, CustomStringConvertible
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// What the operator gives.
    public typealias Output = Bool

    /// The string searched in.
    public let root: Root
    /// The string searched for.
    public let other: Other

    /// The operator with its operands.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Whether the one string contains the other.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      try StringFunctions.localizedStandardContains(
        String(root.evaluate(bindings)), String(other.evaluate(bindings)))
    }

    /// The operator with its operands.
    public var description: String { "\(root).localizedStandardContains(\(other))" }
  }

  /// Written by `#Predicate` for `localizedStandardContains(_:)`.
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

extension PredicateExpressions.StringLocalizedStandardContains: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    try translation.string(.localizedStandardContains, root, Root.Output.self, other, Other.Output.self, of: self)
  }

  var sketch: String { "\(SwiftData.sketch(root)).localizedStandardContains(\(SwiftData.sketch(other)))" }
}

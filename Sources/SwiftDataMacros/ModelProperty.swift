import SwiftSyntax

/// A persisted property of a model class, as its source says.
struct ModelProperty {
  /// The name as it has to be written in code, backticks included.
  let spelling: String
  /// The name itself.
  let name: String
  let isConstant: Bool
  let type: TypeSyntax?
  let initialValue: ExprSyntax?
  /// `@Attribute` or `@Relationship`, and its arguments.
  let annotation: Annotation?
  /// The conditions of the `#if` branches around it, outermost first.
  let conditions: [String]
  /// The position among the class's own persisted properties; equal for equal names in different branches.
  let index: Int
  /// The name of the variable that holds the value, as it has to be written in code.
  var storageName: String

  struct Annotation {
    let typeName: String
    let arguments: LabeledExprListSyntax?

    /// The annotation among a property's attributes, if there is one.
    init?(_ attributes: [AttributeSyntax]) {
      let node = attributes.first { ["Attribute", "Relationship"].contains($0.macroName) }
      guard let node, let name = node.macroName else { return nil }
      typeName = name
      arguments = node.arguments?.as(LabeledExprListSyntax.self)
    }
  }

  /// The usual name of a storage: `_x` of `x`, as Apple's macro names it.
  static func usualStorageName(of name: String) -> String { "_\(name)".asIdentifier }

  /// The name of a storage whose usual name another member of the class has.
  static func otherStorageName(of name: String) -> String { "_$_\(name)".asIdentifier }

  /// Whether the property has no column: it lives in memory only, or the model gives it no type that a column holds.
  var isEphemeral: Bool {
    annotation?.arguments?.contains { $0.isOption(["ephemeral", "transient", "untyped", "objectIdentifier"]) } ?? false
  }

  /// Whether a value transformer makes the column's value, so that the property may be of any type.
  var isTransformable: Bool { annotation?.arguments?.contains { $0.isOption(["transformable"]) } ?? false }

  /// The option that makes the value one column of bytes, as a last argument of reading and writing.
  var opaqueArgument: String {
    let option = annotation?.arguments?.first { $0.isOption(["transformable", "codable"]) }
    return option.map { ", as: \($0.expression.trimmedDescription)" } ?? ""
  }

  /// Wraps lines of code in the conditions under which the property exists.
  func conditionally(_ lines: String) -> String { lines.under(conditions) }
}

extension String {
  /// Wraps lines of code in `#if` conditions, outermost first.
  func under(_ conditions: [String]) -> String {
    conditions.reversed().reduce(self) { "#if \($1)\n\($0)\n#endif" }
  }

  /// The name as an identifier in code: with backticks if it has characters that a plain identifier has not.
  fileprivate var asIdentifier: String {
    unicodeScalars.allSatisfy { $0 == "_" || $0 == "$" || $0.properties.isXIDContinue || !$0.isASCII }
      ? self : "`\(self)`"
  }
}

extension ExprSyntax {
  /// `x` of `.x`, `.x(…)`, `T.x` and `T.x(…)`.
  var memberName: String? {
    if let call = self.as(FunctionCallExprSyntax.self) { return call.calledExpression.memberName }
    return self.as(MemberAccessExprSyntax.self)?.declName.baseName.text
  }

  /// Whether evaluating the expression costs nothing and always gives the same, so that it may be evaluated for every object.
  var isPlain: Bool {
    switch self.kind {
    case .integerLiteralExpr, .floatLiteralExpr, .booleanLiteralExpr, .nilLiteralExpr: return true
    case .stringLiteralExpr:
      return self.as(StringLiteralExprSyntax.self)?.segments.allSatisfy { $0.is(StringSegmentSyntax.self) } ?? false
    case .prefixOperatorExpr: return self.as(PrefixOperatorExprSyntax.self)?.expression.isPlain ?? false
    case .arrayExpr: return self.as(ArrayExprSyntax.self)?.elements.allSatisfy { $0.expression.isPlain } ?? false
    case .dictionaryExpr:
      guard let content = self.as(DictionaryExprSyntax.self)?.content.as(DictionaryElementListSyntax.self) else {
        return true
      }
      return content.allSatisfy { $0.key.isPlain && $0.value.isPlain }
    case .memberAccessExpr:
      // `.x` without a base is an enumeration's case or a static constant, except for `Date.now`.
      guard let member = self.as(MemberAccessExprSyntax.self) else { return false }
      return member.base == nil && member.declName.baseName.text != "now"
    default: return false
    }
  }
}

extension TokenSyntax {
  /// The identifier without backticks.
  var unquoted: String {
    text.count > 2 && text.first == "`" && text.last == "`" ? String(text.dropFirst().dropLast()) : text
  }
}

import SwiftSyntax

/// A stored property of a model class that is to be persisted, as its source says.
struct ModelProperty {
  /// The name as it has to be written in code, backticks included.
  let spelling: String
  /// The name itself.
  let name: String
  let type: TypeSyntax?
  let initialValue: ExprSyntax?
  /// The arguments of `@Attribute` or `@Relationship`, and which of them it is.
  let annotation: Annotation?
  /// The conditions of the `#if` branches around it, outermost first.
  let conditions: [String]
  /// The position among the class's own persisted properties; equal for equal names in different branches.
  let index: Int

  struct Annotation {
    let typeName: String
    let arguments: LabeledExprListSyntax?
  }

  var storageName: String { "_\(name)" }

  /// Whether the property has no column: it lives in memory only, or the model gives it no type that a column holds.
  var isEphemeral: Bool {
    annotation?.arguments?.contains {
      $0.label == nil && ["ephemeral", "transient", "untyped", "objectIdentifier"].contains($0.expression.memberName)
    } ?? false
  }

  /// The option that makes the value one column of bytes, as a last argument of reading and writing.
  var opaqueArgument: String {
    let option = annotation?.arguments?.first {
      $0.label == nil && ["transformable", "codable"].contains($0.expression.memberName)
    }
    return option.map { ", as: \($0.expression.trimmedDescription)" } ?? ""
  }

  /// Wraps lines of code in the conditions under which the property exists.
  func conditionally(_ lines: String) -> String {
    conditions.reversed().reduce(lines) { "#if \($1)\n\($0)\n#endif" }
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
      // `.x` without a base: an enumeration's case, or a static constant.
      return self.as(MemberAccessExprSyntax.self)?.base == nil
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

extension AttributeListSyntax {
  /// The attribute of this name, with or without the module's name before it.
  func attribute(named name: String) -> AttributeSyntax? {
    lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.macroName == name }
  }
}

extension AttributeSyntax {
  /// `X` of `@X`, `@X(…)` and `@Module.X`.
  var macroName: String? {
    attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? attributeName.as(MemberTypeSyntax.self)?.name.text
  }
}

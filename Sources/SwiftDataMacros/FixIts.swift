import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// The sentence of a fix-it.
struct FixItSentence: FixItMessage {
  let message: String
  var fixItID: MessageID { MessageID(domain: "SwiftDataMacros", id: message) }
}

extension FixIt {
  /// Replaces a node by source; white space and comments around it stay.
  init(_ message: String, replacing node: some SyntaxProtocol, with source: String) {
    let replacement = TokenSyntax(
      .identifier(source), leadingTrivia: node.leadingTrivia, trailingTrivia: node.trailingTrivia, presence: .present)
    self.init(
      message: FixItSentence(message: message),
      changes: [.replace(oldNode: Syntax(node), newNode: Syntax(replacement))])
  }
}

extension SyntaxProtocol {
  /// The white space before the node on its line.
  fileprivate var indentation: String {
    leadingTrivia.reversed().prefix { !$0.isNewline }.reversed().map { piece in
      if case .spaces(let count) = piece { return String(repeating: " ", count: count) }
      if case .tabs(let count) = piece { return String(repeating: "\t", count: count) }
      return ""
    }.joined()
  }
}

extension VariableDeclSyntax {
  /// Puts an attribute in front of the declaration.
  func addingAttribute(_ attribute: String) -> FixIt {
    FixIt("mark it \(attribute): it is not stored", replacing: self, with: "\(attribute) \(trimmed)")
  }

  /// Takes an attribute or a modifier away.
  func removing(_ node: some SyntaxProtocol) -> FixIt {
    let start = node.positionAfterSkippingLeadingTrivia.utf8Offset - positionAfterSkippingLeadingTrivia.utf8Offset
    let source = Array(trimmedDescription.utf8)
    let end = start + node.trimmedLength.utf8Length + node.trailingTriviaLength.utf8Length
    let rest = String(decoding: source[..<start] + source[end...], as: UTF8.self)
    return FixIt("remove '\(node.trimmedDescription)'", replacing: self, with: rest)
  }

  /// Makes a `let` a `var` that only its own class sets.
  var makingPrivateSet: FixIt {
    let isPrivate = modifiers.contains { ["private", "fileprivate"].contains($0.name.text) && $0.detail == nil }
    let specifier = isPrivate ? "var" : "private(set) var"
    return FixIt("make it '\(specifier)'", replacing: bindingSpecifier, with: specifier)
  }

  /// Declares each binding by itself.
  var splitting: FixIt {
    // `var a, b: Int`: a name without type and value has the type of the next one that has a type.
    var type: TypeAnnotationSyntax?
    var declarations: [String] = []
    for binding in bindings.reversed() {
      if binding.typeAnnotation != nil { type = binding.typeAnnotation }
      if binding.initializer != nil, binding.typeAnnotation == nil { type = nil }
      var single = binding.with(\.trailingComma, nil)
      if single.typeAnnotation == nil, single.initializer == nil, let type {
        single = single.with(\.pattern, single.pattern.trimmed).with(\.typeAnnotation, type.trimmed)
      }
      declarations.append("\(head)\(single.trimmed)")
    }
    return FixIt(
      "declare each property by itself", replacing: self,
      with: declarations.reversed().joined(separator: "\n\(indentation)"))
  }

  /// Declares each part of `var (a, b) = (1, 2)` by itself.
  var splittingTuple: FixIt? {
    guard bindings.count == 1, let binding = bindings.first,
      let names = binding.pattern.as(TuplePatternSyntax.self)?.elements.map(\.pattern.trimmedDescription),
      let values = binding.initializer?.value.as(TupleExprSyntax.self)?.elements.map(\.expression.trimmedDescription),
      names.count == values.count, binding.typeAnnotation == nil
    else { return nil }
    let declarations = zip(names, values).map { "\(head)\($0) = \($1)" }
    return FixIt(
      "declare each property by itself", replacing: self, with: declarations.joined(separator: "\n\(indentation)"))
  }

  /// The attributes, modifiers and `var` before the first binding.
  private var head: String {
    let all = trimmedDescription
    return String(decoding: Array(all.utf8).prefix(all.utf8.count - bindings.trimmedLength.utf8Length), as: UTF8.self)
  }
}

extension PatternBindingSyntax {
  /// Adds an initial value.
  func givingValue(_ value: String) -> FixIt {
    FixIt("give '\(pattern.trimmed)' the value \(value)", replacing: self, with: "\(trimmed) = \(value)")
  }

  /// Takes observers away.
  func removing(_ observers: AccessorBlockSyntax) -> FixIt {
    FixIt(
      "remove the observers, which never run", replacing: self,
      with: with(\.accessorBlock, nil).trimmedDescription)
  }
}

extension ClassDeclSyntax {
  /// Adds the conformance to `Equatable` to a class without an inheritance clause.
  var statingEquatable: FixIt { FixIt("add ': Equatable'", replacing: name, with: "\(name.text): Equatable") }

  /// Adds an initializer that takes a value for each property.
  func addingInitializer(_ properties: [ModelProperty]) -> FixIt? {
    var parameters: [String] = []
    var assignments: [String] = []
    for property in properties {
      guard property.conditions.isEmpty else { return nil }
      guard !property.isConstant || property.initialValue == nil else { continue }
      guard let type = property.type else {
        if property.initialValue == nil { return nil }
        continue
      }
      let optional = type.hasImplicitNil ? "nil" : nil
      let value = (property.initialValue.map { "\($0)" } ?? optional).map { " = \($0)" } ?? ""
      let parameterType = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self).map { "\($0.wrappedType)?" } ?? "\(type)"
      parameters.append("\(property.spelling): \(parameterType)\(value)")
      assignments.append("self.\(property.spelling) = \(property.spelling)")
    }
    let access = modifiers.lazy.map(\.name.text).first { ["open", "public", "package"].contains($0) }
    let visible = access.map { $0 == "open" ? "public " : "\($0) " } ?? ""
    let margin = memberBlock.members.first?.indentation ?? ""
    let lines = assignments.map { "\(margin)  \($0)\n" }.joined()
    let body = assignments.isEmpty ? "{}" : "{\n\(lines)\(margin)}"
    return FixIt(
      "add an initializer", replacing: memberBlock.rightBrace,
      with: "\n\(margin)\(visible)init(\(parameters.joined(separator: ", "))) \(body)\n\(indentation)}")
  }
}

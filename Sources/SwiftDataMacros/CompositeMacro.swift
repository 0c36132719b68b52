import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Composite`: what a structure's parts are stored as, said part by part.
enum CompositeMacro {
  /// Expansions are written in their final layout: formatting them would take a third of a model's type-checking time.
  static var formatMode: FormatMode { .disabled }
}

extension CompositeMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(StructDeclSyntax.self), !protocols.isEmpty else { return [] }
    return [try ExtensionDeclSyntax("extension \(type.trimmed): SwiftData.CompositeValue {}")]
  }
}

/// Members, and not an extension's, so that types around the structure are in sight.
extension CompositeMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    guard let structure = declaration.as(StructDeclSyntax.self) else {
      context.diagnose(ModelProblem.compositeIsNoStructure(declaration.kindWithArticle).at(declaration))
      return []
    }
    let keys = codingKeys(structure)
    var lines: [String] = []
    for variable in structure.memberBlock.members.compactMap({ $0.decl.as(VariableDeclSyntax.self) }) {
      guard !variable.modifiers.contains(where: { [.keyword(.static)].contains($0.name.tokenKind) }) else { continue }
      let options = variable.attributes.attribute(named: "Attribute")?.arguments?.trimmedDescription ?? ""
      for (index, binding) in variable.bindings.enumerated()
      where !(binding.accessorBlock?.isComputed ?? false) {
        guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.unquoted,
          let value = element(binding, sharing: variable.bindings.dropFirst(index + 1))
        else { continue }
        lines.append(
          """
          SwiftData._CompositeElement("\(keys[name] ?? name)", \(value), as: SwiftData.Schema.Attribute(\(options))),
          """)
      }
    }
    let name = node.arguments?.as(LabeledExprListSyntax.self)?.first?.expression.trimmedDescription ?? "nil"
    let access = structure.modifiers.lazy.map(\.name.text).first { ["public", "package"].contains($0) }
    let visible = access.map { "\($0) " } ?? ""
    return [
      "\(raw: visible)static var _$compositeName: String? { \(raw: name) }",
      """
      \(raw: visible)static var _$elements: [SwiftData._CompositeElement] {
      [
      \(raw: lines.joined(separator: "\n"))
      ]
      }
      """,
    ]
  }

  /// The type and the initial value of a part, as arguments; the compiler finds a type that is not written.
  ///
  /// - Parameter rest: the bindings that follow in the same declaration, one of which may state the type (`var a, b: Int`).
  private static func element(_ binding: PatternBindingSyntax, sharing rest: PatternBindingListSyntax.SubSequence)
    -> String?
  {
    let annotation =
      binding.typeAnnotation ?? (binding.initializer == nil ? rest.lazy.compactMap(\.typeAnnotation).first : nil)
    switch (annotation?.type.trimmed, binding.initializer?.value.trimmed) {
    case (let type?, let value?): return "\(type.declared).self, default: (\(value)) as \(type)"
    case (let type?, nil): return "\(type.declared).self, default: nil"
    case (nil, let value?): return "default: \(value)"
    case (nil, nil): return nil
    }
  }

  /// Stored names by property, as an enumeration `CodingKeys` in the structure says.
  private static func codingKeys(_ structure: StructDeclSyntax) -> [String: String] {
    var keys: [String: String] = [:]
    let enumeration = structure.memberBlock.members.lazy.compactMap { $0.decl.as(EnumDeclSyntax.self) }
      .first { $0.name.text == "CodingKeys" }
    for member in enumeration?.memberBlock.members ?? [] {
      for element in member.decl.as(EnumCaseDeclSyntax.self)?.elements ?? [] {
        // An escape in the literal stays one in the generated literal.
        let source = element.rawValue?.value.as(StringLiteralExprSyntax.self)?.segments.trimmedDescription
        if let source { keys[element.name.unquoted] = source }
      }
    }
    return keys
  }
}

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ModelActor`: an actor's executor, its container, and an initializer that takes the container.
enum ModelActorMacro {
  static var formatMode: FormatMode { .disabled }
}

extension ModelActorMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    guard let actor = declaration.as(ActorDeclSyntax.self) else {
      context.diagnose(ModelProblem.notAnActor(declaration.kindWithArticle).at(node))
      return []
    }
    let members = ActorMembers(actor)
    var declarations: [DeclSyntax] = []
    if !members.names.contains("modelExecutor") {
      declarations.append(
        "\(raw: members.access)nonisolated let modelExecutor: any SwiftData.ModelExecutor")
    }
    if !members.names.contains("modelContainer") {
      declarations.append(
        "\(raw: members.access)nonisolated let modelContainer: SwiftData.ModelContainer")
    }
    if let unset = members.unset.first {
      // The actor's own initializer sets it, together with the executor and the container.
      if members.initializers.isEmpty {
        context.diagnose(ModelProblem.actorPropertyWithoutValue(unset.identifier.unquoted).at(unset))
      }
    } else if !members.initializers.contains(where: \.takesContainerOnly) {
      declarations.append(
        """
        \(raw: members.access)init(modelContainer: SwiftData.ModelContainer) {
        self.modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: SwiftData.ModelContext(modelContainer))
        self.modelContainer = modelContainer
        }
        """)
    }
    return declarations
  }
}

extension ModelActorMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let actor = declaration.as(ActorDeclSyntax.self), !protocols.isEmpty else { return [] }
    let availability = actor.attributes.attributes(named: "available").map { "\($0.trimmedDescription)\n" }.joined()
    return [try ExtensionDeclSyntax("\(raw: availability)extension \(type.trimmed): SwiftData.ModelActor {}")]
  }
}

/// What an actor declares itself.
private struct ActorMembers {
  /// `public ` or `package `, or nothing.
  let access: String
  let initializers: [InitializerDeclSyntax]
  /// The names of the actor's properties.
  private(set) var names: Set<String> = []
  /// Stored properties that an initializer must set.
  private(set) var unset: [IdentifierPatternSyntax] = []

  init(_ actor: ActorDeclSyntax) {
    access = actor.modifiers.lazy.map(\.name.text).first { ["public", "package"].contains($0) }.map { "\($0) " } ?? ""
    let members = actor.memberBlock.members.map(\.decl)
    initializers = members.compactMap { $0.as(InitializerDeclSyntax.self) }
    for variable in members.compactMap({ $0.as(VariableDeclSyntax.self) }) where !variable.isStatic {
      for binding in variable.bindings {
        guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else { continue }
        let name = pattern.identifier.unquoted
        names.insert(name)
        if variable.needsInitialValue(binding), !["modelExecutor", "modelContainer"].contains(name) {
          unset.append(pattern)
        }
      }
    }
  }
}

extension VariableDeclSyntax {
  fileprivate var isStatic: Bool { modifiers.contains { $0.name.tokenKind == .keyword(.static) } }

  /// Whether an initializer must set the property: it is stored, has no initial value, and is no optional variable.
  ///
  /// Property wrappers and other macros may give a value, so a property with attributes counts as set.
  fileprivate func needsInitialValue(_ binding: PatternBindingSyntax) -> Bool {
    guard binding.initializer == nil, attributes.isEmpty else { return false }
    switch binding.accessorBlock?.accessors {
    case .getter: return false
    case .accessors(let accessors):
      let observers: [TokenKind] = [.keyword(.willSet), .keyword(.didSet)]
      if accessors.contains(where: { !observers.contains($0.accessorSpecifier.tokenKind) }) { return false }
    case nil: break
    }
    guard bindingSpecifier.tokenKind == .keyword(.var), let type = binding.typeAnnotation?.type else { return true }
    return !type.is(OptionalTypeSyntax.self) && !type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
      && type.as(IdentifierTypeSyntax.self)?.name.text != "Optional"
  }
}

extension InitializerDeclSyntax {
  /// Whether the initializer is `init(modelContainer:)`.
  fileprivate var takesContainerOnly: Bool {
    signature.parameterClause.parameters.map(\.firstName.text) == ["modelContainer"]
  }
}

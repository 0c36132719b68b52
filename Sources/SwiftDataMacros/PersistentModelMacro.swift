import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Model`: the conformances of a model class and the attributes of its properties; ``ModelMembers`` has its members.
enum PersistentModelMacro {
  /// Expansions are written in their final layout: formatting them would take a third of a model's type-checking time.
  static var formatMode: FormatMode { .disabled }
}

extension PersistentModelMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    guard let node = declaration.as(ClassDeclSyntax.self) else {
      context.diagnose(ModelProblem.notAClass(declaration.kindWithArticle).at(node))
      return []
    }
    let model = ModelDeclaration(node, in: BuildSettings(context))
    if let generics = node.genericParameterClause { context.diagnose(ModelProblem.generic.at(generics)) }
    for problem in model.problems { context.diagnose(problem) }
    let options = EntityArguments(node)
    let isRoot = protocols.contains { $0.trimmedDescription.hasSuffix("_PersistentModelRoot") }
    let inheritsInitializers = !isRoot && model.needsNoInitializer
    if !model.hasInitializer, !inheritsInitializers, !options.isAbstract, !model.hasErrors {
      context.diagnose(
        ModelProblem.missingInitializer(model.name).at(node.name, node.addingInitializer(model.properties)))
    }
    // A protocol of an inheritance clause may be one that includes `Equatable`.
    if isRoot, let equality = model.equality, !model.hasInheritanceClause {
      context.diagnose(
        ModelProblem.equalityWithoutConformance(model.name).at(equality.name, node.statingEquatable))
    }
    if model.keepsBackingData, !isRoot {
      context.diagnose(ModelProblem.backingDataInSubclass(model.name).at(node.name))
      return []
    }
    return ModelMembers(
      model: model, isRoot: isRoot, inheritsInitializers: inheritsInitializers, entityArguments: options
    ).all
  }
}

extension PersistentModelMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) -> [AttributeSyntax] {
    guard let node = declaration.as(ClassDeclSyntax.self), let variable = member.as(VariableDeclSyntax.self) else {
      return []
    }
    let settings = BuildSettings(context)
    let facts = StoredVariable(variable, in: settings)
    guard facts.isPersisted, let binding = variable.bindings.first,
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.unquoted
    else { return [] }
    return [PropertyAttributes.of(node, in: settings)[name]].compactMap(\.self)
  }
}

extension PersistentModelMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let node = declaration.as(ClassDeclSyntax.self) else { return [] }
    let names = protocols.compactMap { $0.trimmedDescription.split(separator: ".").last.map(String.init) }
    // A subclass of a model inherits the conformances.
    guard names.contains("_PersistentModelRoot") else { return [] }
    let availability = node.attributes.compactMap { $0.as(AttributeSyntax.self) }
      .filter { $0.macroName == "available" }.map { "\($0.trimmedDescription)\n" }.joined()
    var extensions: [ExtensionDeclSyntax] = []
    // The values of an object are in its backing data, or in its own storage.
    let keepsBackingData = node.namesBackingData
    // SwiftData exports `Observable`. The name of its own module would be that of a class called `Observation`.
    let adopted = names.filter { $0 != "Sendable" && (!keepsBackingData || $0 != "_PersistentModelRoot") }
      .map { "nonisolated SwiftData.\($0)" }
    if !adopted.isEmpty {
      extensions.append(
        try ExtensionDeclSyntax(
          "\(raw: availability)extension \(type.trimmed): \(raw: adopted.joined(separator: ", "))"
        ) {})
    }
    // A global actor makes its classes Sendable.
    if names.contains("Sendable"), !ModelDeclaration(node, in: BuildSettings(context)).mayBeIsolated {
      let message =
        "PersistentModels are not Sendable, consider utilizing a ModelActor or use \(type.trimmed)'s persistentModelID instead."
      extensions.append(
        try ExtensionDeclSyntax(
          "@available(*, unavailable, message: \(literal: message))\nextension \(type.trimmed): Sendable"
        ) {})
    }
    return extensions
  }
}

extension DeclGroupSyntax {
  /// "a struct", "an enum", …
  var kindWithArticle: String {
    switch kind {
    case .classDecl: "a class"
    case .structDecl: "a struct"
    case .enumDecl: "an enum"
    case .actorDecl: "an actor"
    case .protocolDecl: "a protocol"
    default: "an extension"
    }
  }
}

/// The arguments of `@Model(…)`.
struct EntityArguments {
  let arguments: LabeledExprListSyntax?

  init(_ node: ClassDeclSyntax) {
    arguments = node.attributes.attribute(named: "Model")?.arguments?.as(LabeledExprListSyntax.self)
  }

  var isAbstract: Bool {
    arguments?.contains { $0.label?.text == "isAbstract" && $0.expression.trimmedDescription == "true" } ?? false
  }

  /// The arguments as source, without a comma at the end.
  var source: [String] {
    arguments?.map { argument in
      "\(argument.label.map { "\($0.text): " } ?? "")\(argument.expression.trimmedDescription)"
    } ?? []
  }
}

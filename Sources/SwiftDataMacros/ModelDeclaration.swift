import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A model class as its source says: what every role of `@Model` works from.
struct ModelDeclaration {
  let node: ClassDeclSyntax
  private(set) var properties: [ModelProperty] = []
  /// `#Unique` and `#Index`, with the conditions around them.
  private(set) var constraints: [(macro: MacroExpansionDeclSyntax, conditions: [String])] = []
  /// Properties marked `@FetchedProperty`, with the conditions around them.
  private(set) var fetchedProperties: [(name: String, type: TypeSyntax, node: AttributeSyntax, conditions: [String])] =
    []
  private(set) var hasInitializer = false
  private(set) var problems: [Diagnostic] = []

  init(_ node: ClassDeclSyntax) {
    self.node = node
    read(node.memberBlock.members, under: [])
  }

  /// The class's name as it has to be written in code.
  var name: String { node.name.text }

  /// The number of indexes its own properties take.
  var propertyCount: Int { (properties.map(\.index).max() ?? -1) + 1 }

  var hasInheritanceClause: Bool { !(node.inheritanceClause?.inheritedTypes.isEmpty ?? true) }

  /// The global actor that the class is bound to by an attribute of its own.
  var globalActor: String? {
    node.attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }
      .first { $0.macroName?.hasSuffix("Actor") ?? false }?.attributeName.trimmedDescription
  }

  var isGloballyIsolated: Bool { globalActor != nil }

  /// Whether a stored constant stands in the class that only the class's own initialisers can give a value.
  private(set) var hasUninitializedConstants = false

  /// Whether a property's initial value is left to its storage, which evaluates it for new objects only.
  func evaluatesLazily(_ property: ModelProperty) -> Bool {
    !(property.initialValue?.isPlain ?? true) && !hasInheritanceClause && !hasUninitializedConstants
  }

  private mutating func read(_ members: MemberBlockItemListSyntax, under conditions: [String]) {
    for member in members {
      if let branches = member.decl.as(IfConfigDeclSyntax.self) {
        read(branches, under: conditions)
      } else if let variable = member.decl.as(VariableDeclSyntax.self) {
        read(variable, under: conditions)
      } else if let macro = member.decl.as(MacroExpansionDeclSyntax.self),
        ["Unique", "Index"].contains(macro.macroName.text)
      {
        constraints.append((macro, conditions))
      } else if member.decl.is(InitializerDeclSyntax.self) {
        hasInitializer = true
      }
    }
  }

  private mutating func read(_ branches: IfConfigDeclSyntax, under conditions: [String]) {
    var earlier: [String] = []
    for clause in branches.clauses {
      let own = clause.condition?.trimmedDescription
      let condition = (earlier.map { "!(\($0))" } + (own.map { ["(\($0))"] } ?? [])).joined(separator: " && ")
      if case .decls(let members) = clause.elements { read(members, under: conditions + [condition]) }
      if let own { earlier.append(own) }
    }
  }

  private mutating func read(_ variable: VariableDeclSyntax, under conditions: [String]) {
    if let node = variable.attributes.attribute(named: "FetchedProperty"), let binding = variable.bindings.first,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self), let type = binding.typeAnnotation?.type.trimmed
    {
      fetchedProperties.append((pattern.identifier.unquoted, type, node, conditions))
      return
    }
    let facts = StoredVariable(variable)
    guard facts.isStored else { return }
    problems += facts.problems
    if facts.isConstant, variable.bindings.contains(where: { $0.initializer == nil }) {
      hasUninitializedConstants = true
    }
    guard facts.problems.isEmpty, facts.isPersisted, let binding = variable.bindings.first,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return }
    let name = pattern.identifier.unquoted
    let annotation = ["Attribute", "Relationship"].lazy.compactMap { typeName in
      variable.attributes.attribute(named: typeName).map {
        ModelProperty.Annotation(typeName: typeName, arguments: $0.arguments?.as(LabeledExprListSyntax.self))
      }
    }.first
    properties.append(
      ModelProperty(
        spelling: pattern.identifier.text, name: name, type: binding.typeAnnotation?.type.trimmed,
        initialValue: binding.initializer?.value.trimmed, annotation: annotation, conditions: conditions,
        index: properties.first { $0.name == name }?.index ?? propertyCount))
  }
}

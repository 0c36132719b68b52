import SwiftDiagnostics
import SwiftSyntax

/// A model class as its source says: all roles of `@Model` work from it.
struct ModelDeclaration {
  let node: ClassDeclSyntax
  private let settings: BuildSettings
  private(set) var properties: [ModelProperty] = []
  /// `#Unique` and `#Index`, with the conditions around them.
  private(set) var constraints: [(macro: MacroExpansionDeclSyntax, conditions: [String])] = []
  /// Properties marked `@FetchedProperty`, with the conditions around them.
  private(set) var fetchedProperties: [(name: String, type: TypeSyntax, node: AttributeSyntax, conditions: [String])] =
    []
  private(set) var hasInitializer = false
  private(set) var problems: [Diagnostic] = []
  /// Whether the class has a stored constant to which only its own initializers give a value.
  private(set) var hasUninitializedConstants = false
  /// Whether a persisted property is deprecated, so that forming its key path elsewhere would warn.
  private(set) var hasDeprecatedProperties = false
  /// The global actor of a persisted property that has one of its own.
  private(set) var propertyActor: AttributeSyntax?
  /// The class's own `==`, which Swift takes for the conformance only if the class states it.
  private(set) var equality: FunctionDeclSyntax?
  /// Whether objects keep their values in backing data, as in the expansion of Apple's macro, because the class names its members.
  let keepsBackingData: Bool
  /// Names of the class's instance variables and methods.
  private var memberNames: Set<String> = []
  /// Names in the bodies of the class's initializers.
  private var namesInInitializers: Set<String> = []

  init(_ node: ClassDeclSyntax, in settings: BuildSettings) {
    self.node = node
    self.settings = settings
    keepsBackingData = node.namesBackingData
    read(node.memberBlock.members, under: [])
    for index in properties.indices {
      let usual = ModelProperty.usualStorageName(of: properties[index].name)
      if memberNames.contains(usual) {
        properties[index].storageName = ModelProperty.otherStorageName(of: properties[index].name)
      }
    }
  }

  /// The class's name as it has to be written in code.
  var name: String { node.name.text }

  /// The number of indexes its own properties take.
  var propertyCount: Int { (properties.map(\.index).max() ?? -1) + 1 }

  var hasInheritanceClause: Bool { !(node.inheritanceClause?.inheritedTypes.isEmpty ?? true) }

  /// Whether an inherited initializer gives every property a value: the class declares none, and each property has a value or is
  /// optional.
  var needsNoInitializer: Bool {
    !hasInitializer && !hasUninitializedConstants
      && properties.allSatisfy { $0.initialValue != nil || $0.type?.hasImplicitNil == true }
  }

  var hasErrors: Bool { problems.contains { $0.diagMessage.severity == .error } }

  /// Whether a global actor may isolate the class. Its name tells nothing: any attribute that is not known may be one.
  var mayBeIsolated: Bool {
    !node.attributes.globalActors.isEmpty
      || node.attributes.contains { $0.as(AttributeSyntax.self)?.isForeign ?? false }
  }

  /// Whether a property's initial value is left to its storage, which evaluates it for new objects only, not for rows.
  ///
  /// Such a property has no `init` accessor, so an initializer cannot assign it before it calls a superclass's.
  func evaluatesLazily(_ property: ModelProperty) -> Bool {
    guard let value = property.initialValue, !value.isPlain, !hasUninitializedConstants else { return false }
    return node.inheritanceClause?.inheritedTypes.possibleSuperclass == nil
      || !namesInInitializers.contains(property.name)
  }

  // MARK: Reading

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
      } else if let initializer = member.decl.as(InitializerDeclSyntax.self) {
        hasInitializer = true
        guard let body = initializer.body else { continue }
        namesInInitializers.formUnion(body.tokens(viewMode: .sourceAccurate).map(\.unquoted))
      } else if let function = member.decl.as(FunctionDeclSyntax.self) {
        memberNames.insert(function.name.text)
        if function.name.text == "==", function.compares(node.name.text) { equality = function }
      }
    }
  }

  private mutating func read(_ branches: IfConfigDeclSyntax, under conditions: [String]) {
    for (clause, condition) in branches.conditionedClauses {
      guard case .decls(let members) = clause.elements else { continue }
      let earlierProblems = problems
      read(members, under: conditions + [condition])
      if !settings.mayBeActive(clause, of: branches) { problems = earlierProblems }
    }
  }

  private mutating func read(_ variable: VariableDeclSyntax, under conditions: [String]) {
    if let node = variable.attributes.attribute(named: "FetchedProperty"), let binding = variable.bindings.first,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self), let type = binding.typeAnnotation?.type.trimmed
    {
      fetchedProperties.append((pattern.identifier.unquoted, type, node, conditions))
      return
    }
    if !variable.has(.static), !variable.has(.class) {
      for binding in variable.bindings {
        memberNames.insert(binding.pattern.trimmedDescription)
      }
    }
    let facts = StoredVariable(variable, in: settings)
    guard facts.isStored else { return }
    problems += facts.problems
    if facts.isConstant, !facts.isPersisted,
      variable.bindings.contains(where: { $0.initializer == nil })
    {
      hasUninitializedConstants = true
    }
    guard facts.isPersisted, let binding = variable.bindings.first,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return }
    let name = pattern.identifier.unquoted
    if variable.attributes.attributes(named: "available").contains(where: \.isDeprecation) {
      hasDeprecatedProperties = true
    }
    propertyActor = propertyActor ?? variable.attributes.globalActors.first
    // A property wrapper, which the compiler is about to reject, takes the usual name for itself.
    let storageName =
      variable.attributes.contains(where: \.mayBeWrapper)
      ? ModelProperty.otherStorageName(of: name) : ModelProperty.usualStorageName(of: name)
    // A property whose annotation stands in `#if` is one property per branch, with one index.
    for (attributes, conditions) in variable.attributes.variants(under: conditions) {
      properties.append(
        ModelProperty(
          spelling: pattern.identifier.text, name: name, isConstant: facts.isConstant,
          type: binding.typeAnnotation?.type.trimmed, initialValue: binding.initializer?.value.trimmed,
          annotation: ModelProperty.Annotation(attributes), conditions: conditions,
          index: properties.first { $0.name == name }?.index ?? propertyCount, storageName: storageName))
    }
  }
}

extension AttributeSyntax {
  /// Whether it is an `@available` with `deprecated`, with or without a version.
  fileprivate var isDeprecation: Bool {
    arguments?.tokens(viewMode: .sourceAccurate).contains { $0.text == "deprecated" } ?? false
  }
}

extension FunctionDeclSyntax {
  /// Whether all parameters are objects of a class.
  fileprivate func compares(_ className: String) -> Bool {
    signature.parameterClause.parameters.allSatisfy { [className, "Self"].contains($0.type.trimmedDescription) }
  }
}

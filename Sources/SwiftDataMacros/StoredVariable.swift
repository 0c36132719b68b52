import SwiftDiagnostics
import SwiftSyntax

/// A `var` or `let` in a model class: whether it is stored, whether it is persisted, and its problems.
struct StoredVariable {
  /// Whether it takes memory in every object.
  let isStored: Bool
  let isConstant: Bool
  let isTransient: Bool
  let problems: [Diagnostic]

  /// Whether it has a column, or a relationship: it is stored, and no problem forbids it.
  var isPersisted: Bool { isStored && !isTransient && !problems.contains { $0.diagMessage.severity == .error } }

  init(_ variable: VariableDeclSyntax, in settings: BuildSettings) {
    isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
    isTransient = variable.attributes.attribute(named: "Transient") != nil
    isStored =
      !variable.has(.static) && !variable.has(.class)
      && !variable.bindings.contains { $0.accessorBlock?.isComputed ?? false }
      // Expanded already, by hand or by another role.
      && variable.attributes.attribute(named: "_PersistedProperty") == nil
      // Computed by a macro of its own.
      && variable.attributes.attribute(named: "FetchedProperty") == nil
    guard isStored else {
      problems = []
      return
    }
    problems =
      isTransient ? Self.problemsOfTransient(variable) : Self.problemsOfPersisted(variable, in: settings)
  }

  // MARK: Transient properties

  private static func problemsOfTransient(_ variable: VariableDeclSyntax) -> [Diagnostic] {
    var problems = ["Attribute", "Relationship"].compactMap { name in
      variable.attributes.attribute(named: name).map { node in
        ModelProblem.annotatedTransient(name).at(node, variable.removing(node))
      }
    }
    // A property wrapper may give the value; the compiler knows.
    guard !variable.attributes.contains(where: \.mayBeWrapper) else { return problems }
    for binding in variable.bindings {
      guard binding.initializer == nil, let type = binding.typeAnnotation?.type, !type.hasImplicitNil else { continue }
      let name = binding.pattern.trimmedDescription
      let optional = FixIt("make '\(name)' optional", replacing: type, with: type.optionalSpelling)
      problems.append(
        ModelProblem.transientWithoutValue(name).at(
          binding, type.mayBeOptional ? binding.givingValue("nil") : nil, type.isSpelledOptional ? nil : optional))
    }
    return problems
  }

  // MARK: Persisted properties

  private static func problemsOfPersisted(
    _ variable: VariableDeclSyntax, in settings: BuildSettings
  ) -> [Diagnostic] {
    let transient = variable.addingAttribute("@Transient")
    if variable.bindings.count > 1 {
      return [ModelProblem.severalBindings.at(variable, variable.splitting)]
    }
    guard let binding = variable.bindings.first else { return [] }
    guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
      return [ModelProblem.tuplePattern.at(binding, variable.splittingTuple)]
    }
    let name = pattern.identifier.unquoted
    var problems: [Diagnostic] = []
    if variable.bindingSpecifier.tokenKind == .keyword(.let), !settings.allowsAccessorsOnConstants {
      problems.append(ModelProblem.constant(name).at(variable.bindingSpecifier, variable.makingPrivateSet))
    }
    if let modifier = variable.modifier(.override) {
      problems.append(ModelProblem.overriding(name).at(modifier))
    }
    if let modifier = variable.modifier(.lazy) {
      problems.append(ModelProblem.lazy(name).at(modifier, transient))
    }
    if let modifier = variable.modifier(.weak) {
      problems.append(ModelProblem.weakReference(name).at(modifier, variable.removing(modifier), transient))
    }
    if let modifier = variable.modifier(.unowned) {
      problems.append(ModelProblem.unownedReference(name).at(modifier, variable.removing(modifier), transient))
    }
    if let observers = binding.accessorBlock {
      problems.append(ModelProblem.observers(name).at(observers, binding.removing(observers), transient))
    }
    for attribute in variable.attributes.lazy.compactMap({ $0.as(AttributeSyntax.self) }) where attribute.isKnownWrapper
    {
      problems.append(
        ModelProblem.wrapper(name, attribute.attributeName.trimmedDescription)
          .at(attribute, transient, variable.removing(attribute)))
    }
    if name == "description" { problems.append(ModelProblem.reservedName(name).at(pattern)) }
    if ["Type", "Protocol"].contains(name) { problems.append(ModelProblem.metatypeName(name).at(pattern)) }
    problems += problemsOfAnnotations(variable)
    if let type = binding.typeAnnotation?.type { problems += problemsOfType(type, of: name, variable) }
    return problems
  }

  private static func problemsOfAnnotations(_ variable: VariableDeclSyntax) -> [Diagnostic] {
    let branches = variable.attributes.lazy.compactMap { $0.as(IfConfigDeclSyntax.self) }.first
    if let branches, variable.attributes.withBranches.contains(where: { $0.macroName == "Transient" }) {
      return [ModelProblem.conditionalTransient.at(branches)]
    }
    let attributes = variable.attributes.attributes(named: "Attribute")
    let relationships = variable.attributes.attributes(named: "Relationship")
    if let attribute = attributes.first, let relationship = relationships.first {
      return [
        ModelProblem.bothAnnotations.at(attribute, variable.removing(attribute), variable.removing(relationship))
      ]
    }
    return [attributes, relationships].compactMap { annotations in
      annotations.count > 1 ? ModelProblem.repeatedAnnotation(annotations[0].macroName ?? "").at(annotations[1]) : nil
    }
  }

  private static func problemsOfType(
    _ type: TypeSyntax, of name: String, _ variable: VariableDeclSyntax
  ) -> [Diagnostic] {
    if ["isDeleted", "hasChanges"].contains(name), type.trimmedDescription != "Bool" {
      return [ModelProblem.hiddenName(name, type: type.trimmedDescription).at(type)]
    }
    let isRelationship = variable.attributes.attribute(named: "Relationship") != nil
    if isRelationship, let set = type.unwrapped.as(IdentifierTypeSyntax.self), set.name.text == "Set",
      let element = set.genericArgumentClause?.arguments.first
    {
      let fixIt = FixIt(
        "write '[\(element.trimmed)]'", replacing: set, with: "[\(element.trimmed)]")
      return [ModelProblem.setRelationship.at(set, fixIt)]
    }
    // A value transformer may make bytes of any type.
    guard let kind = type.kindWithoutColumn, !variable.attributes.hasOpaqueOption else { return [] }
    return [
      ModelProblem.typeWithoutColumn(name, kind).at(
        type,
        variable.bindings.first?.initializer == nil && !type.hasImplicitNil
          ? nil : variable.addingAttribute("@Transient"))
    ]
  }
}

extension VariableDeclSyntax {
  func modifier(_ keyword: Keyword) -> DeclModifierSyntax? {
    modifiers.first { $0.name.tokenKind == .keyword(keyword) }
  }

  func has(_ keyword: Keyword) -> Bool { modifier(keyword) != nil }
}

extension AccessorBlockSyntax {
  /// Whether the block computes a value, rather than observing a stored one.
  var isComputed: Bool {
    switch accessors {
    case .getter: true
    case .accessors(let list):
      !list.allSatisfy { [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind) }
    }
  }
}

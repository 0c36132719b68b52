import ErrorReporting
import ManagedModel

extension SchemaTranslator {
  /// The class for an entity.
  mutating func classDeclaration(for entity: EntityDescription) -> ClassDeclaration {
    let name = names.type(of: entity.name)
    var arguments: [Argument] = []
    var macros: [MacroDeclaration] = []
    let constraints = UniquenessConstraints(entity)
    let comments = collectingComments { translator in
      arguments = translator.modelArguments(for: entity, className: name)
      macros = translator.macros(for: entity, constraints: constraints)
      translator.noteWhatClassesLack(entity)
    }
    var properties: [PropertyDeclaration] = []
    for property in entity.properties where !isInherited(property.name, of: entity) {
      if let declaration = self.property(property, of: entity, constraints: constraints) {
        properties.append(declaration)
      }
    }
    let superclass = entity.superentityName.flatMap { graph.entity($0) }.map { names.type(of: $0.name) }
    return ClassDeclaration(
      comments: comments, name: name, superclass: superclass,
      isFinal: graph.subentities(of: entity.name).isEmpty, arguments: arguments, macros: macros,
      properties: properties, initializer: InitializerDeclaration(parameters: [], assigned: []))
  }

  private func isInherited(_ property: String, of entity: EntityDescription) -> Bool {
    graph.declaringEntity(of: property, in: entity.name)?.name != entity.name
  }

  private mutating func property(
    _ property: PropertyDescription, of entity: EntityDescription, constraints: UniquenessConstraints
  ) -> PropertyDeclaration? {
    var declaration: PropertyDeclaration?
    let comments = collectingComments { translator in
      switch property {
      case .attribute(let attribute):
        let spelled = translator.names.property(attribute.name, of: entity.name)
        declaration = translator.attribute(
          attribute, spelled: spelled, of: entity.name, isUnique: constraints.isUnique(attribute.name))
      case .relationship(let relationship):
        declaration = translator.relationship(
          relationship, of: entity, isUnique: constraints.isUnique(relationship.name))
      case .fetchedProperty(let fetched):
        declaration = translator.fetchedProperty(fetched, of: entity.name)
      }
    }
    declaration?.comments = comments
    return declaration
  }

  /// The arguments of `@Model`, all of them extensions of this package.
  private mutating func modelArguments(for entity: EntityDescription, className: String) -> [Argument] {
    var arguments: [Argument] = []
    if entity.isAbstract, maySpell(.warning, entity.name, nil, "that the entity is abstract") {
      arguments.append(Argument("isAbstract", .boolean(true)))
    }
    if let modifier = nonEmpty(entity.versionHashModifier),
      maySpell(.warning, entity.name, nil, "the hash modifier \(quoted(modifier))")
    {
      arguments.append(Argument("hashModifier", .string(modifier)))
    }
    if let original = nonEmpty(entity.renamingIdentifier), original != entity.name,
      maySpell(.warning, entity.name, nil, "the former name \(quoted(original))")
    {
      arguments.append(Argument("originalName", .string(original)))
    }
    if className != entity.name,
      maySpell(.warning, entity.name, nil, "the entity's name \(quoted(entity.name)), which no class can have")
    {
      arguments.append(Argument("entityName", .string(entity.name)))
    }
    if let name = self.className(of: entity),
      maySpell(.note, entity.name, nil, "the class name \(quoted(name))")
    {
      arguments.append(Argument("className", .string(name)))
    }
    if let expression = nonEmpty(entity.coreSpotlightDisplayName),
      maySpell(.note, entity.name, nil, "the Spotlight display name \(quoted(expression))")
    {
      arguments.append(Argument("spotlightDisplayName", .string(expression)))
    }
    if !entity.userInfo.isEmpty, maySpell(.note, entity.name, nil, UserInfoExpression.phrase(for: entity.userInfo)) {
      usesFoundation(for: entity.userInfo)
      arguments.append(Argument("userInfo", UserInfoExpression.expression(for: entity.userInfo)))
    }
    return arguments
  }

  private mutating func noteWhatClassesLack(_ entity: EntityDescription) {
    for property in entity.properties where isInherited(property.name, of: entity) {
      note(
        .warning, entity.name, property.name, "its second declaration: a superentity has it already",
        remedy: "declare it in the superentity only")
    }
  }

  /// The class name of the model; `nil` for a default: the entity's name in any module, or Core Data's own class.
  private func className(of entity: EntityDescription) -> String? {
    guard let name = nonEmpty(entity.className), name != "NSManagedObject",
      name.split(separator: ".").last.map(String.init) != entity.name
    else { return nil }
    return name
  }
}

/// `nil` for the empty string, which models use for “none”.
func nonEmpty(_ text: String?) -> String? {
  guard let text, !text.isEmpty else { return nil }
  return text
}

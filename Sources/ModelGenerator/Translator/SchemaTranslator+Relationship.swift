import ErrorReporting
import ManagedModel

extension SchemaTranslator {
  /// The property for a relationship.
  ///
  /// `[Book]` is a required to-many relationship and `[Book]?` an optional one. SwiftData writes the flag in the same
  /// way into the models in its own stores, and the flag is hashed (VH-4).
  mutating func relationship(
    _ relationship: RelationshipDescription, of entity: EntityDescription, isUnique: Bool
  ) -> PropertyDeclaration? {
    guard graph.entity(relationship.destinationEntityName) != nil else {
      note(
        .warning, entity.name, relationship.name,
        "the destination \(quoted(relationship.destinationEntityName)), which is no entity",
        remedy: "correct its destination in the model")
      return nil
    }
    let spelled = names.property(relationship.name, of: entity.name)
    let arguments = self.arguments(of: relationship, spelled: spelled, in: entity.name, isUnique: isUnique)
    var property = PropertyDeclaration(
      name: spelled, type: type(of: relationship), initialValue: relationship.isToMany ? .array([]) : nil,
      isParameter: !relationship.isToMany && !relationship.isTransient)
    if !arguments.isEmpty {
      property.attribute = AttributeDeclaration(name: "Relationship", arguments: arguments)
    }
    if relationship.isTransient, dialect == .apple { makeVariable(&property) }
    return property
  }

  /// For Apple's API, a transient property is a variable that the store and its context never see.
  private func makeVariable(_ property: inout PropertyDeclaration) {
    property.attribute = AttributeDeclaration(name: "Transient")
    property.type.isOptional = true
    property.initialValue = property.initialValue ?? Expression.none
  }

  func type(of relationship: RelationshipDescription) -> TypeReference {
    TypeReference(
      name: names.type(of: relationship.destinationEntityName), isArray: relationship.isToMany,
      isOptional: relationship.isOptional)
  }

  /// The arguments in the order of the macro's parameters.
  private mutating func arguments(
    of relationship: RelationshipDescription, spelled: String, in entity: String, isUnique: Bool
  ) -> [Argument] {
    var arguments: [Argument] = []
    if isUnique { arguments.append(Argument(nil, .member("unique"))) }
    if relationship.isOrdered, maySpell(.warning, entity, relationship.name, "the order of its objects") {
      arguments.append(Argument(nil, .member("ordered")))
    }
    if relationship.isTransient, maySpell(.note, entity, relationship.name, "that it is a transient relationship") {
      arguments.append(Argument(nil, .member("transient")))
    }
    if relationship.isIndexedBySpotlight, maySpell(.note, entity, relationship.name, "indexing by Spotlight") {
      arguments.append(Argument(nil, .member("spotlight")))
    }
    if relationship.isStoredInExternalRecord,
      maySpell(.note, entity, relationship.name, "storage in an external record")
    {
      arguments.append(Argument(nil, .member("externalRecord")))
    }
    if let userInfo = userInfo(relationship.userInfo, entity, relationship.name) {
      arguments.append(Argument(nil, userInfo))
    }
    let inverse = self.inverse(of: relationship, in: entity)
    arguments += inverse.filter { $0.label == nil }
    if relationship.deleteRule != .nullify {
      arguments.append(Argument("deleteRule", .member(Self.word(for: relationship.deleteRule))))
    }
    if relationship.minimumCount != 0 {
      arguments.append(Argument("minimumModelCount", .integer(Int64(relationship.minimumCount))))
    }
    if relationship.isToMany, relationship.maximumCount != 0 {
      arguments.append(Argument("maximumModelCount", .integer(Int64(relationship.maximumCount))))
    }
    let (original, persistent) = recordedNames(
      relationship.name, spelled: spelled, renamingIdentifier: relationship.renamingIdentifier, in: entity)
    arguments += self.arguments(["name": persistent, "originalName": original])
    arguments += inverse.filter { $0.label != nil }
    return arguments + self.arguments(["hashModifier": nonEmpty(relationship.versionHashModifier)])
  }

  private mutating func inverse(of relationship: RelationshipDescription, in entity: String) -> [Argument] {
    switch inverses.side(of: relationship.name, in: entity) {
    case .declaredByInverse:
      return []
    case .none:
      return withoutInverse(relationship, in: entity)
    case .itself:
      guard maySpell(.warning, entity, relationship.name, "that the relationship is its own inverse") else { return [] }
      return [Argument(nil, .member("selfInverse"))]
    case .declaresInverse(let owner, let name):
      let path = Expression.keyPath(root: names.type(of: owner), [names.property(name, of: owner)])
      return [Argument("inverse", path)]
    case .unanswered(let name):
      if dialect == .open {
        let owner = nonEmpty(relationship.inverseEntityName) ?? relationship.destinationEntityName
        let call = Expression.call(".inverse", [Argument("named", .string(name)), Argument("of", .string(owner))])
        return [Argument(nil, call)]
      }
      note(
        .warning, entity, relationship.name,
        "the inverse \(quoted(name)), which does not name this relationship as its own inverse",
        remedy: "set the inverse on both sides in the model")
      return withoutInverse(relationship, in: entity)
    }
  }

  /// Without an option, SwiftData takes a relationship that leads back as the inverse, if no other relationship claims
  /// it.
  private mutating func withoutInverse(_ relationship: RelationshipDescription, in entity: String) -> [Argument] {
    guard inverses.mayInferInverse(of: relationship, in: entity, graph: graph),
      maySpell(.warning, entity, relationship.name, "that the relationship has no inverse")
    else { return [] }
    return [Argument(nil, .member("noInverse"))]
  }

  private static func word(for rule: RelationshipDescription.DeleteRule) -> String {
    switch rule {
    case .noAction: "noAction"
    case .nullify: "nullify"
    case .cascade: "cascade"
    case .deny: "deny"
    }
  }
}

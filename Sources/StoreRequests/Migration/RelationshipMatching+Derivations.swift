package import ManagedModel

extension RelationshipMatching {
  /// Whether a derived attribute has the same value in each old row under both models.
  ///
  /// That needs the same expression, and the same links and values of all properties that it mentions.
  package func keepsDerivedValues(of attribute: String, of entity: String) -> Bool {
    let destination = matching.destination
    guard case .attribute(let derived)? = destination.property(attribute, of: entity),
      let derivation = derived.derivation
    else { return false }
    for source in sources(of: entity) {
      guard let name = properties[source.new]?[attribute],
        case .attribute(let former)? = matching.source.property(name, of: source.old),
        former.derivation == derivation, former.type == derived.type
      else { return false }
    }
    guard let expression = DerivationExpression(derivation.expression) else { return true }
    var end = entity
    for name in expression.path {
      guard let relationship = destination.relationship(name, of: end) else {
        // The rest of the path are elements of a composite.
        guard keepsValues(of: name, of: end) else { return false }
        break
      }
      guard keepsLinks(of: name, of: end) else { return false }
      end = relationship.destinationEntityName
    }
    guard let filter = derivation.filteringPredicate else { return true }
    return destination.properties(of: end).allSatisfy { property in
      guard case .attribute = property, filter.contains(property.name) else { return true }
      return keepsValues(of: property.name, of: end)
    }
  }

  /// Whether all rows of an entity have the links that they had.
  private func keepsLinks(of name: String, of entity: String) -> Bool {
    let declaring = matching.destination.declaringEntity(of: name, in: entity)?.name ?? entity
    let formers = formers(of: name, of: declaring)
    guard formers.count == 1, let former = formers.first, !former.isSwapped, former.description.name == name,
      former.members.isWhole
    else { return false }
    return Set(former.owners.names).isSuperset(of: sources(of: entity).map(\.old))
  }

  /// Whether all rows of an entity have the values of an attribute that they had.
  private func keepsValues(of name: String, of entity: String) -> Bool {
    sources(of: entity).allSatisfy { source in
      guard properties[source.new]?[name] == name,
        case .attribute(let new)? = matching.destination.property(name, of: source.new),
        case .attribute(let old)? = matching.source.property(name, of: source.old)
      else { return false }
      return old.type == new.type && old.elements == new.elements && (new.isOptional || !old.isOptional)
        && new.derivation == nil
    }
  }
}

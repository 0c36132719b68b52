/// A relationship of an old model whose links a relationship of the new model takes over.
package struct FormerRelationship: Sendable {
  /// The entity that declares the relationship first.
  package let entityName: String
  package let description: RelationshipDescription
  /// Whether it was the inverse of the new relationship that this one became, so that the links lead the other way.
  package let isSwapped: Bool
  /// The old entities at the beginning of the links: their rows still have the relationship.
  package let owners: Kinds
  /// The old entities at the end of the links: their rows are objects of the new destination.
  package let members: Kinds

  /// Old entities at one end of a relationship, without abstract ones.
  package struct Kinds: Sendable {
    package let names: [String]
    /// Whether these are all entities that rows at this end may have.
    package let isWhole: Bool
    /// Other entities at this end that the new model has elsewhere.
    package let elsewhere: [String]

    package init(names: [String], isWhole: Bool, elsewhere: [String] = []) {
      self.names = names
      self.isWhole = isWhole
      self.elsewhere = elsewhere
    }
  }

  /// The same relationship, as far as it leads to entities that the new destination does not have.
  package var leadingElsewhere: FormerRelationship {
    FormerRelationship(
      entityName: entityName, description: description, isSwapped: isSwapped, owners: owners,
      members: Kinds(names: members.elsewhere, isWhole: false))
  }
}

/// The properties of two models that correspond, and the old relationships that each new one gets its links from.
///
/// A relationship of an entity may come from several: one for each subentity that declared its own.
package struct RelationshipMatching: Sendable {
  package let matching: ModelMatching
  /// The old property of each property, by new entity.
  package let properties: [String: [String: String]]

  /// - Parameter convertsKinds: whether the program's own code converts an attribute into a relationship of the same name, or the
  ///   reverse. Then the two do not match: the new property begins empty.
  package init(from source: ModelDescription, to destination: ModelDescription, convertsKinds: Bool = false) {
    let matching = ModelMatching(from: source, to: destination)
    self.matching = matching
    properties = Dictionary(
      destination.entities.map { entity in
        let pairs = matching.properties(of: entity.name)
        return (
          entity.name, convertsKinds ? pairs.filter { matching.hasSameKind($0.key, as: $0.value, of: entity) } : pairs
        )
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The old relationships of a new one, and of its inverse.
  ///
  /// Two relationships that were no inverses had links of their own. If they become inverses, both count. A relationship that
  /// becomes its own inverse counts twice, once for each direction.
  ///
  /// - Parameter entity: the entity that declares the relationship.
  package func formers(of name: String, of entity: String) -> [FormerRelationship] {
    guard let relationship = matching.destination.relationship(name, of: entity) else { return [] }
    var formers = formers(name, of: entity, to: relationship.destinationEntityName, isSwapped: false)
    guard let inverse = relationship.inverseName,
      let owner = matching.destination.declaringEntity(of: inverse, in: relationship.destinationEntityName)?.name
    else { return formers }
    for former in self.formers(inverse, of: owner, to: entity, isSwapped: true)
    where !formers.contains(where: { hasSameLinks($0, former) }) {
      formers.append(former)
    }
    return formers
  }

  /// New entity → old entity, for an entity and its subentities whose rows come from the old model.
  package func sources(of entity: String) -> [(new: String, old: String)] {
    matching.destination.concreteKinds(of: entity).compactMap { kind in
      guard let old = matching.source(of: kind), matching.source.entity(old)?.isAbstract == false else { return nil }
      return (kind, old)
    }
  }

  /// Whether all rows of an entity had the relationship in the old model, or the inverse that it comes from.
  ///
  /// - Parameter entity: the entity that declares the relationship.
  package func isFormer(_ name: String, of entity: String) -> Bool {
    let owners = formers(of: name, of: entity).flatMap { $0.isSwapped ? $0.members.names : $0.owners.names }
    return Set(owners).isSuperset(of: sources(of: entity).map(\.old))
  }

  private func formers(
    _ name: String, of entity: String, to destination: String, isSwapped: Bool
  ) -> [FormerRelationship] {
    let old = matching.source
    var owners: [[String]: [String]] = [:]
    var declarations: [(entity: String, description: RelationshipDescription)] = []
    for source in sources(of: entity) {
      guard let former = properties[source.new]?[name],
        let declaring = old.declaringEntity(of: former, in: source.old)?.name,
        let description = old.relationship(former, of: declaring), !description.isTransient
      else { continue }
      let place = [declaring, former]
      if owners[place] == nil { declarations.append((declaring, description)) }
      owners[place, default: []].append(source.old)
    }
    return declarations.map { declaring, description in
      let names = owners[[declaring, description.name]] ?? []
      return FormerRelationship(
        entityName: declaring, description: description, isSwapped: isSwapped,
        owners: FormerRelationship.Kinds(names: names, isWhole: names.count == old.concreteKinds(of: declaring).count),
        members: members(of: description, in: destination))
    }
  }

  /// The old entities that a relationship led to, as far as their rows are objects of a new destination.
  package func members(
    of relationship: RelationshipDescription, in destination: String
  ) -> FormerRelationship.Kinds {
    let all = matching.source.concreteKinds(of: relationship.destinationEntityName)
    var (names, elsewhere): ([String], [String]) = ([], [])
    for kind in all {
      guard let new = matching.destination(of: kind) else { continue }
      if matching.destination.isKind(new, of: destination) { names.append(kind) } else { elsewhere.append(kind) }
    }
    return FormerRelationship.Kinds(names: names, isWhole: names.count == all.count, elsewhere: elsewhere)
  }

  /// Whether two old relationships are one in one direction, or inverses of each other in the two directions.
  private func hasSameLinks(_ one: FormerRelationship, _ other: FormerRelationship) -> Bool {
    if one.isSwapped == other.isSwapped {
      return (one.entityName, one.description.name) == (other.entityName, other.description.name)
    }
    guard let inverse = one.description.inverseName, inverse == other.description.name else { return false }
    return matching.source.declaringEntity(of: inverse, in: one.description.destinationEntityName)?.name
      == other.entityName
  }
}

extension EntityGraph {
  /// The relationship of this name that the entity or its nearest superentity declares.
  package func relationship(_ name: String, of entity: String) -> RelationshipDescription? {
    if case .relationship(let relationship)? = property(name, of: entity) { relationship } else { nil }
  }

  /// An entity and all its subentities, without abstract ones.
  package func concreteKinds(of name: String) -> [String] {
    var names = entity(name) == nil ? [] : [name]
    var seen = Set(names)
    var position = 0
    while position < names.count {
      names += subentities(of: names[position]).filter { seen.insert($0).inserted }
      position += 1
    }
    return names.filter { entity($0)?.isAbstract == false }
  }
}

import ManagedModel

/// Compares a mapping model with the inferred mapping, which a custom stage carries out by itself before its code runs.
///
/// It tells which rows, values and links are right by then, and which ones the code has to set.
struct MappedCorrespondence {
  let resolution: MappingResolution
  let source: EntityGraph
  let destination: EntityGraph
  private let matching: ModelMatching
  /// The entity mappings that have rows: an abstract entity has none.
  let active: [MappingResolution.Entity]
  /// The names of the entity mappings whose rows the stage carries over by itself.
  private let kept: Set<String>

  init(_ resolution: MappingResolution, source: EntityGraph, destination: EntityGraph) {
    self.resolution = resolution
    self.source = source
    self.destination = destination
    let matching = ModelMatching(from: resolution.source, to: resolution.destination)
    self.matching = matching
    active = resolution.entities.filter { !($0.source?.isAbstract ?? false) && !($0.destination?.isAbstract ?? false) }
    var taken: Set<String> = []
    kept = Set(
      active.lazy.filter { entity in
        guard let old = entity.source?.name, let new = entity.destination?.name, matching.source(of: new) == old else {
          return false
        }
        return taken.insert(new).inserted
      }.map(\.mapping.name))
  }

  // MARK: Rows

  /// Whether the stage carries the rows of the mapping over by itself. Of several mappings with one source and one
  /// destination, only the first is.
  func isKept(_ entity: MappingResolution.Entity) -> Bool { kept.contains(entity.mapping.name) }

  /// The destination entities whose rows the stage carries over, although no entity mapping takes them. Core Data leaves such
  /// rows behind.
  var unmapped: [EntityDescription] {
    let kept = Set(active.filter(isKept).compactMap { $0.destination?.name })
    return resolution.destination.entities.filter { entity in
      guard !entity.isAbstract, !kept.contains(entity.name), let old = matching.source(of: entity.name) else {
        return false
      }
      return source.entity(old)?.isAbstract == false
    }
  }

  /// The entity mappings whose new objects a mapped relationship may lead to: the named mapping, and mappings of subentities of its
  /// source.
  func candidates(
    at path: [String], of entity: MappingResolution.Entity, by mapping: String?,
    for relationship: RelationshipDescription
  ) -> [MappingResolution.Entity] {
    resolution.linkCandidates(at: path, of: entity, by: mapping, to: relationship.destinationEntityName)
      .map { resolution.entities[$0] }
      .filter { candidate in active.contains { $0.mapping.name == candidate.mapping.name } }
  }

  // MARK: Values

  /// Every stored property of the new objects with its value. Properties that the mapping model mentions come first.
  func properties(of entity: MappingResolution.Entity) -> [MappingResolution.Property] {
    guard let new = entity.destination else { return [] }
    let mentioned = Set(entity.properties.map(\.property.name))
    return entity.properties
      + destination.properties(of: new.name).filter { !mentioned.contains($0.name) }
      .map { MappingResolution.Property(property: $0, value: .none) }
  }

  /// Whether the stage gives an attribute a value that another one had before, although the mapping model gives it none.
  func carries(_ property: PropertyDescription, of entity: MappingResolution.Entity) -> Bool {
    guard isKept(entity), let new = entity.destination else { return false }
    return matching.properties(of: new.name)[property.name] != nil
  }

  /// Whether the stage sets the attribute by itself to the value that the mapping model asks for.
  func isInferred(
    _ attribute: AttributeDescription, _ value: MappingResolution.Value, of entity: MappingResolution.Entity
  ) -> Bool {
    guard isKept(entity), let old = entity.source?.name, let new = entity.destination?.name,
      case .mapped(.source(let path)) = value, path.count == 1,
      path[0] == matching.properties(of: new)[attribute.name],
      case .attribute(let former)? = source.property(path[0], of: old)
    else { return false }
    return former.type == attribute.type && former.elements == attribute.elements
  }

  // MARK: Links

  /// Whether the stage carries the links of a relationship over by itself as the mapping model asks for.
  ///
  /// A link has two sides, and each side may be mapped. The links are right if two things hold.
  /// All mappings of one side ask for these links. No mapping of the other side asks for other links.
  func isInferred(_ relationship: RelationshipDescription, of entity: MappingResolution.Entity) -> Bool {
    let mine = sides(of: relationship, of: entity.destination?.name)
    guard let inverse = inverse(of: relationship, in: destination) else {
      return side(relationship.name, of: entity) == .natural
    }
    let theirs = sides(of: inverse, of: relationship.destinationEntityName)
    guard !(mine + theirs).contains(.other) else { return false }
    return mine.allSatisfy { $0 == .natural } || theirs.allSatisfy { $0 == .natural }
  }

  /// Whether another mapping sets the other side of a relationship that its own mapping does not set.
  func isSetByInverse(_ relationship: RelationshipDescription) -> Bool {
    guard let inverse = inverse(of: relationship, in: destination) else { return false }
    return sides(of: inverse, of: relationship.destinationEntityName).contains { $0 != .absent }
  }

  private enum Side {
    /// The links as the source has them.
    case natural
    /// No links by this side.
    case absent
    case other
  }

  /// How each entity mapping whose objects have a relationship sets it.
  private func sides(of relationship: RelationshipDescription, of entity: String?) -> [Side] {
    guard let entity, let owner = destination.declaringEntity(of: relationship.name, in: entity)?.name else {
      return []
    }
    return active.filter { candidate in
      candidate.source != nil && candidate.destination.map { destination.isKind($0.name, of: owner) } == true
    }.map { side(relationship.name, of: $0) }
  }

  private func side(_ name: String, of entity: MappingResolution.Entity) -> Side {
    guard let property = properties(of: entity).first(where: { $0.property.name == name }),
      case .relationship(let relationship) = property.property
    else { return .absent }
    if case .none = property.value { return .absent }
    return isNatural(relationship, property.value, of: entity) ? .natural : .other
  }

  private func isNatural(
    _ relationship: RelationshipDescription, _ value: MappingResolution.Value, of entity: MappingResolution.Entity
  ) -> Bool {
    guard isKept(entity), let old = entity.source?.name, let new = entity.destination?.name,
      case .mapped(.rows(let path, let mapping)) = value, path.count == 1,
      path[0] == matching.properties(of: new)[relationship.name],
      case .relationship(let former)? = source.property(path[0], of: old)
    else { return false }
    return candidates(at: path, of: entity, by: mapping, for: relationship).allSatisfy(isKept)
      && former.isToMany == relationship.isToMany
      && matching.source(of: relationship.destinationEntityName) == former.destinationEntityName
      && isSameInverse(former, relationship)
  }

  private func isSameInverse(_ former: RelationshipDescription, _ relationship: RelationshipDescription) -> Bool {
    guard let one = inverse(of: former, in: source), let other = inverse(of: relationship, in: destination) else {
      return former.inverseName == nil && relationship.inverseName == nil
    }
    return one.isToMany == other.isToMany
      && matching.properties(of: relationship.destinationEntityName)[other.name] == one.name
  }

  private func inverse(of relationship: RelationshipDescription, in graph: EntityGraph) -> RelationshipDescription? {
    guard let name = relationship.inverseName,
      case .relationship(let inverse)? = graph.property(name, of: relationship.destinationEntityName)
    else { return nil }
    return inverse
  }
}

extension MappingResolution {
  /// The entity mappings whose rows a mapped relationship may lead to, as indexes of ``entities``.
  ///
  /// An entity mapping takes the rows of exactly one entity. So rows of subentities, which the relationship may lead to as well, come from
  /// mappings of their own: these follow the named one. Mappings of any other source entity have no part in it, because rows of different
  /// entities may have equal keys.
  /// - Parameters:
  ///   - path: the source relationships that lead to the old rows.
  ///   - entity: the entity mapping with the relationship.
  ///   - mapping: the entity mapping that the expression names; `nil` for any.
  ///   - wanted: the destination of the new relationship.
  package func linkCandidates(at path: [String], of entity: Entity, by mapping: String?, to wanted: String) -> [Int] {
    guard let former = destination(of: path, from: entity.source?.name) else { return [] }
    let possible = entities.indices.filter { index in
      guard let old = entities[index].source?.name, let new = entities[index].destination?.name else { return false }
      return sourceGraph.isKind(old, of: former) && destinationGraph.isKind(new, of: wanted)
    }
    guard let mapping else { return possible }
    let named = possible.filter { entities[$0].mapping.name == mapping }
    guard let root = entities.first(where: { $0.mapping.name == mapping })?.source?.name else { return named }
    return named
      + possible.filter { index in
        guard let old = entities[index].source?.name, old != root else { return false }
        return sourceGraph.isKind(old, of: root)
      }
  }

  /// The entity that a path of source relationships leads to; `nil` if a step is no relationship.
  private func destination(of path: [String], from entity: String?) -> String? {
    path.reduce(entity) { entity, name in
      guard let entity, case .relationship(let relationship)? = sourceGraph.property(name, of: entity) else {
        return nil
      }
      return relationship.destinationEntityName
    }
  }
}

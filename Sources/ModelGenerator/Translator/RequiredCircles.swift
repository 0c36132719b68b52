import ManagedModel

/// The circles of required to-one relationships: such as two entities whose objects each require one of the other entity.
struct RequiredCircles {
  /// A relationship of each circle that closes it, with the entity that declares it. Without them there are no circles.
  private(set) var closing: [(entity: String, relationship: RelationshipDescription)] = []
  private let graph: EntityGraph
  private var seen: Set<String> = []

  init(_ graph: EntityGraph) {
    self.graph = graph
    for entity in graph.model.entities where !seen.contains(entity.name) { search(from: entity.name) }
  }

  /// Goes along the relationships, depth first. A stack of its own takes models of any size.
  private mutating func search(from start: String) {
    var path = [(entity: start, rest: required(start)[...])]
    var open: Set<String> = [start]
    seen.insert(start)
    while let last = path.last {
      guard let relationship = last.rest.first else {
        open.remove(last.entity)
        path.removeLast()
        continue
      }
      path[path.count - 1].rest.removeFirst()
      let destination = relationship.destinationEntityName
      if open.contains(destination) {
        close(relationship, of: last.entity)
      } else if seen.insert(destination).inserted {
        open.insert(destination)
        path.append((destination, required(destination)[...]))
      }
    }
  }

  private mutating func close(_ relationship: RelationshipDescription, of entity: String) {
    let owner = graph.declaringEntity(of: relationship.name, in: entity)?.name ?? entity
    guard !closing.contains(where: { $0.entity == owner && $0.relationship.name == relationship.name }) else { return }
    closing.append((owner, relationship))
  }

  /// The relationships without which an object cannot be saved, inherited ones among them.
  private func required(_ entity: String) -> [RelationshipDescription] {
    graph.properties(of: entity).compactMap { property in
      guard case .relationship(let relationship) = property, !relationship.isToMany, !relationship.isOptional,
        !relationship.isTransient
      else { return nil }
      return relationship
    }
  }
}

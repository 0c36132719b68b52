import ManagedModel

/// Tells which relationships of a model are inverse to each other, and which of the two declares the inverse.
///
/// In Swift only one side may declare it: with both, the two macros would depend on each other in a circle.
struct InverseSides: Sendable {
  private var sides: [Key: Side] = [:]
  /// Relationships without inverse, by the declaring entity and the destination. Two names per pair are enough to tell
  /// whether another relationship exists.
  private var unclaimed: [Route: [String]] = [:]

  enum Side: Sendable, Hashable {
    case none
    /// The relationship is its own inverse.
    case itself
    /// This side declares the inverse, with the relationship's name and the entity that declares it.
    case declaresInverse(entity: String, relationship: String)
    /// The other side declares the inverse.
    case declaredByInverse
    /// The model names an inverse that does not name this relationship in return.
    case unanswered(String)
  }

  private struct Key: Hashable {
    var entity: String
    var relationship: String
  }

  private struct Route: Hashable {
    var entity: String
    var destination: String
  }

  init(_ graph: EntityGraph) {
    for entity in graph.model.entities {
      for relationship in entity.relationships {
        let side = Self.side(of: relationship, in: entity.name, graph: graph)
        sides[Key(entity: entity.name, relationship: relationship.name)] = side
        switch side {
        case .none, .unanswered:
          let route = Route(entity: entity.name, destination: relationship.destinationEntityName)
          if unclaimed[route, default: []].count < 2 { unclaimed[route, default: []].append(relationship.name) }
        default: break
        }
      }
    }
  }

  func side(of relationship: String, in entity: String) -> Side {
    sides[Key(entity: entity, relationship: relationship)] ?? .none
  }

  /// Whether another relationship without inverse leads from the destination to the entity.
  func mayInferInverse(of relationship: RelationshipDescription, in entity: String, graph: EntityGraph) -> Bool {
    graph.lineage(of: relationship.destinationEntityName).contains { owner in
      let back = unclaimed[Route(entity: owner.name, destination: entity)] ?? []
      return back.contains { (owner.name, $0) != (entity, relationship.name) }
    }
  }

  private static func side(
    of relationship: RelationshipDescription, in entity: String, graph: EntityGraph
  ) -> Side {
    guard let inverseName = relationship.inverseName, !inverseName.isEmpty else { return .none }
    let destination = relationship.destinationEntityName
    guard
      let owner = graph.declaringEntity(of: inverseName, in: destination),
      case .relationship(let inverse)? = graph.ownProperty(inverseName, of: owner.name),
      inverse.inverseName == relationship.name,
      graph.isKind(inverse.destinationEntityName, of: entity) || graph.isKind(entity, of: inverse.destinationEntityName)
    else { return .unanswered(inverseName) }
    if owner.name == entity, inverseName == relationship.name { return .itself }
    return precedes(relationship, entity, inverse, owner.name)
      ? .declaresInverse(entity: owner.name, relationship: inverseName) : .declaredByInverse
  }

  /// The to-many side declares the inverse. If both sides are alike, the side that cascades does; then the first in
  /// code-unit order.
  private static func precedes(
    _ left: RelationshipDescription, _ leftEntity: String, _ right: RelationshipDescription, _ rightEntity: String
  ) -> Bool {
    if left.isToMany != right.isToMany { return left.isToMany }
    if (left.deleteRule == .cascade) != (right.deleteRule == .cascade) { return left.deleteRule == .cascade }
    if leftEntity != rightEntity { return codeUnitOrder(leftEntity, rightEntity) }
    return codeUnitOrder(left.name, right.name)
  }
}

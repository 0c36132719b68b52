/// Gives a store's model the delete rules of a model in use, because no version hash contains them (VH-10).
extension ModelDescription {
  /// This model with the delete rules of another one.
  ///
  /// Both models have equal entities, as their version hashes say. Of what no version hash contains only the delete rules govern what an
  /// engine does; all else stays as it is. So do the rules of entities that the other model does not have. Cost: linear in the number
  /// of properties of the other model.
  /// - Parameter entityNames: the entities of the other model whose rules count, if not all do.
  package func takingDeleteRules(of other: ModelDescription, entityNames: Set<String>? = nil) -> ModelDescription {
    let graph = EntityGraph(other)
    var result = self
    for (index, entity) in entities.enumerated()
    where entityNames?.contains(entity.name) != false && graph.entity(entity.name) != nil {
      for (place, property) in entity.properties.enumerated() {
        guard case .relationship(var relationship) = property,
          case .relationship(let given)? = graph.property(property.name, of: entity.name),
          relationship.deleteRule != given.deleteRule
        else { continue }
        relationship.deleteRule = given.deleteRule
        result.entities[index].properties[place] = .relationship(relationship)
      }
    }
    return result
  }
}

internal import ManagedModel

/// One side of a one-to-one relationship in the model's words, for engines that keep values by the names of properties.
package struct PartnerSide: Sendable {
  /// The relationship's name.
  package let name: String
  /// The entity that declares it first.
  package let entity: StoreEntity
  /// Whether an object must have a partner.
  package let isRequired: Bool
}

extension OneToOne<PartnerSide> {
  /// The one-to-one relationships of a model, each once.
  package static func all(in entities: EntityTable) -> [OneToOne] {
    var sides: [RelationshipName: (PartnerSide, inverse: RelationshipName)] = [:]
    for entity in entities.entities {
      for case .toOne(let relationship) in entity.properties
      where relationship.declaringEntityName == entity.name && relationship.isAnswered {
        guard let inverse = relationship.inverse, !inverse.isToMany else { continue }
        let name = relationship.description.name
        sides[RelationshipName(entity: entity.name, relationship: name)] = (
          PartnerSide(name: name, entity: entity, isRequired: !relationship.description.isOptional),
          RelationshipName(entity: relationship.inverseEntityName ?? "", relationship: inverse.name)
        )
      }
    }
    return all(sides)
  }
}

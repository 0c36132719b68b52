import ManagedModel
import TestSupport

/// Random changes of where relationships are, and of what they lead to.
extension RandomModelChanges {
  static func moveRelationship(of index: Int, in model: inout ModelDescription, _ numbers: inout SplitMix) {
    switch numbers.below(4) {
    case 0: moveRelationshipDown(from: index, toAll: numbers.below(2) == 0, in: &model)
    case 1: moveRelationshipUp(from: index, in: &model)
    case 2: narrow(of: index, in: &model)
    default: marry(of: index, in: &model)
    }
  }

  /// The places of the relationships of an entity that have no inverse.
  private static func oneWay(_ entity: EntityDescription) -> [Int] {
    entity.properties.indices.filter {
      if case .relationship(let relationship) = entity.properties[$0] { relationship.inverseName == nil } else { false }
    }
  }

  private static func children(of index: Int, in model: ModelDescription) -> [Int] {
    model.entities.indices.filter { model.entities[$0].superentityName == model.entities[index].name }
  }

  /// Gives a relationship to direct subentities instead of to the entity.
  private static func moveRelationshipDown(from index: Int, toAll: Bool, in model: inout ModelDescription) {
    let children = children(of: index, in: model)
    guard !children.isEmpty, let position = oneWay(model.entities[index]).first else { return }
    let moved = model.entities[index].properties.remove(at: position)
    for child in toAll ? children : Array(children.prefix(1)) { model.entities[child].properties.append(moved) }
  }

  /// Gives a relationship to the superentity, and takes those of the same name from the entities below.
  private static func moveRelationshipUp(from index: Int, in model: inout ModelDescription) {
    let graph = EntityGraph(model)
    guard let parent = model.entities.firstIndex(where: { $0.name == model.entities[index].superentityName }),
      let position = oneWay(model.entities[index]).first
    else { return }
    let moved = model.entities[index].properties[position]
    let below = model.entities.indices.filter { graph.isKind(model.entities[$0].name, of: model.entities[parent].name) }
    let isPossible = below.allSatisfy { other in
      model.entities[other].properties.allSatisfy { property in
        guard property.name == moved.name else { return true }
        guard case .relationship(let relationship) = property else { return false }
        return relationship.inverseName == nil
      }
    }
    guard isPossible else { return }
    for other in below { model.entities[other].properties.removeAll { $0.name == moved.name } }
    model.entities[parent].properties.append(moved)
  }

  /// Lets a relationship lead to a subentity of its destination.
  private static func narrow(of index: Int, in model: inout ModelDescription) {
    for position in oneWay(model.entities[index]) {
      guard case .relationship(var relationship) = model.entities[index].properties[position],
        let below = model.entities.first(where: { $0.superentityName == relationship.destinationEntityName })
      else { continue }
      relationship.destinationEntityName = below.name
      model.entities[index].properties[position] = .relationship(relationship)
      return
    }
  }

  /// Makes two relationships without inverse, which lead to the entities of each other, inverses.
  private static func marry(of index: Int, in model: inout ModelDescription) {
    let name = model.entities[index].name
    for position in oneWay(model.entities[index]) {
      guard case .relationship(var relationship) = model.entities[index].properties[position],
        let other = model.entities.firstIndex(where: { $0.name == relationship.destinationEntityName })
      else { continue }
      for place in oneWay(model.entities[other]) where (other, place) != (index, position) {
        guard case .relationship(var inverse) = model.entities[other].properties[place],
          inverse.destinationEntityName == name
        else { continue }
        (relationship.inverseName, relationship.inverseEntityName) = (inverse.name, model.entities[other].name)
        (inverse.inverseName, inverse.inverseEntityName) = (relationship.name, name)
        model.entities[index].properties[position] = .relationship(relationship)
        model.entities[other].properties[place] = .relationship(inverse)
        return
      }
    }
  }
}

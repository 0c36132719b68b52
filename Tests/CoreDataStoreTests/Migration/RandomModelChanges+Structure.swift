import ManagedModel
import TestSupport

extension RandomModelChanges {
  /// One to four changes of a model's structure: entities that go, come below others or above them, relationships that become to-many or
  /// to-one, lose their inverse or get another delete rule, properties that move down or exchange their names, uniqueness.
  static func restructured(_ original: ModelDescription, _ numbers: inout SplitMix) -> ModelDescription {
    var model = original
    for step in 0...numbers.below(4) {
      let index = numbers.below(model.entities.count)
      switch numbers.below(12) {
      case 0: remove(model.entities[index].name, from: &model)
      case 1:
        model.entities.append(
          EntityDescription(
            name: "Below\(step)", superentityName: model.entities[index].name,
            properties: [attribute("own\(step)", default: "o")]))
      case 2: addParent(above: index, "Above\(step)", in: &model)
      case 3: exchangeNames(&model.entities[index], &numbers)
      case 4: moveDown(from: index, in: &model)
      case 5: addUniqueness(&model.entities[index], &numbers)
      case 6, 7: moveRelationship(of: index, in: &model, &numbers)
      default: changeRelationship(of: index, in: &model, &numbers)
      }
    }
    return model
  }

  /// Removes an entity that has none below it, and the relationships that lead to it.
  private static func remove(_ name: String, from model: inout ModelDescription) {
    guard model.entities.count > 2, !model.entities.contains(where: { $0.superentityName == name }) else { return }
    model.entities.removeAll { $0.name == name }
    for index in model.entities.indices {
      model.entities[index].properties.removeAll {
        if case .relationship(let relationship) = $0 { relationship.destinationEntityName == name } else { false }
      }
    }
    repairInverses(&model)
  }

  /// Takes away names of inverses that are gone.
  private static func repairInverses(_ model: inout ModelDescription) {
    let graph = EntityGraph(model)
    for index in model.entities.indices {
      for position in model.entities[index].properties.indices {
        guard case .relationship(var relationship) = model.entities[index].properties[position],
          let inverse = relationship.inverseName,
          graph.property(inverse, of: relationship.destinationEntityName) == nil
        else { continue }
        (relationship.inverseName, relationship.inverseEntityName) = (nil, nil)
        model.entities[index].properties[position] = .relationship(relationship)
      }
    }
  }

  private static func addParent(above index: Int, _ name: String, in model: inout ModelDescription) {
    guard model.entities[index].superentityName == nil else { return }
    model.entities[index].superentityName = name
    model.entities.append(EntityDescription(name: name, properties: [attribute("above", default: "a")]))
  }

  private static func exchangeNames(_ entity: inout EntityDescription, _ numbers: inout SplitMix) {
    let positions = entity.properties.indices.filter { position in
      guard case .attribute(let attribute) = entity.properties[position] else { return false }
      return attribute.type != .composite && attribute.renamingIdentifier == nil
    }
    guard positions.count > 1, entity.uniquenessConstraints.isEmpty, entity.fetchIndexes.isEmpty else { return }
    guard case .attribute(var one) = entity.properties[positions[0]],
      case .attribute(var other) = entity.properties[positions[1]]
    else { return }
    (one.renamingIdentifier, other.renamingIdentifier) = (one.name, other.name)
    (one.name, other.name) = (other.name, one.name)
    entity.properties[positions[0]] = .attribute(one)
    entity.properties[positions[1]] = .attribute(other)
  }

  /// Gives an attribute to each direct subentity instead of to the entity.
  private static func moveDown(from index: Int, in model: inout ModelDescription) {
    let entity = model.entities[index]
    let children = model.entities.indices.filter { model.entities[$0].superentityName == entity.name }
    guard !children.isEmpty,
      let position = entity.properties.firstIndex(where: { property in
        guard case .attribute(let attribute) = property else { return false }
        return !entity.fetchIndexes.contains { "\($0)".contains(attribute.name) }
          && !entity.uniquenessConstraints.joined().contains(attribute.name)
      })
    else { return }
    let moved = model.entities[index].properties.remove(at: position)
    for child in children { model.entities[child].properties.append(moved) }
  }

  private static func addUniqueness(_ entity: inout EntityDescription, _ numbers: inout SplitMix) {
    guard entity.superentityName == nil, entity.uniquenessConstraints.isEmpty else { return }
    let names = entity.attributes.filter { [.uuid, .integer16, .integer32, .date].contains($0.type) }.map(\.name)
    guard !names.isEmpty else { return }
    entity.uniquenessConstraints = [[names[numbers.below(names.count)]]]
  }

  private static func changeRelationship(of index: Int, in model: inout ModelDescription, _ numbers: inout SplitMix) {
    let positions = model.entities[index].properties.indices.filter {
      if case .relationship = model.entities[index].properties[$0] { true } else { false }
    }
    guard !positions.isEmpty else { return }
    let position = positions[numbers.below(positions.count)]
    guard case .relationship(var relationship) = model.entities[index].properties[position] else { return }
    let rules: [RelationshipDescription.DeleteRule] = [.nullify, .cascade, .deny, .nullify]
    switch numbers.below(5) {
    case 0, 1:
      relationship.maximumCount = relationship.isToMany ? 1 : 0
      relationship.isOrdered = relationship.isOrdered && relationship.isToMany
    case 2: relationship.deleteRule = rules[numbers.below(4)]
    case 3:
      relationship.renamingIdentifier = relationship.renamingIdentifier ?? relationship.name
      let (former, new) = (relationship.name, relationship.name + "New")
      relationship.name = new
      let isOwn = relationship.inverseName == former && relationship.destinationEntityName == model.entities[index].name
      if isOwn { relationship.inverseName = new }
      model.entities[index].properties[position] = .relationship(relationship)
      if !isOwn { renameInverse(former, new, of: model.entities[index].name, in: &model) }
      return
    default:
      model.entities[index].properties.remove(at: position)
      repairInverses(&model)
      return
    }
    model.entities[index].properties[position] = .relationship(relationship)
  }

  private static func renameInverse(_ name: String, _ new: String, of entity: String, in model: inout ModelDescription)
  {
    for index in model.entities.indices {
      for position in model.entities[index].properties.indices {
        guard case .relationship(var relationship) = model.entities[index].properties[position],
          relationship.inverseName == name, relationship.destinationEntityName == entity
        else { continue }
        relationship.inverseName = new
        model.entities[index].properties[position] = .relationship(relationship)
      }
    }
  }
}

import ManagedModel
import TestSupport

/// Random changes of models, for migrations in any engine.
enum RandomModelChanges {
  /// One to five changes of a model: renamed, added and removed entities and properties, other types, orders and defaults.
  static func changed(_ original: ModelDescription, _ numbers: inout SplitMix) -> ModelDescription {
    var model = original
    for step in 0...numbers.below(5) {
      let index = numbers.below(model.entities.count)
      switch numbers.below(9) {
      case 0: model.entities.append(EntityDescription(name: "Added\(step)", properties: [attribute("title\(step)")]))
      case 1: rename(model.entities[index].name, to: "A\(step)\(model.entities[index].name)", in: &model)
      case 2: model.entities[index].properties.append(attribute("added\(step)", default: "d"))
      case 3: model.entities[index].properties.append(attribute("empty\(step)"))
      default: change(&model.entities[index], step, &numbers)
      }
    }
    return model
  }

  static func attribute(_ name: String, default value: String? = nil) -> PropertyDescription {
    .attribute(
      AttributeDescription(
        name: name, type: .string, isOptional: value == nil, defaultValue: value.map { .string($0) }))
  }

  private static func rename(_ name: String, to new: String, in model: inout ModelDescription) {
    for index in model.entities.indices {
      if model.entities[index].name == name {
        model.entities[index].renamingIdentifier = model.entities[index].renamingIdentifier ?? name
        model.entities[index].name = new
      }
      if model.entities[index].superentityName == name { model.entities[index].superentityName = new }
      for position in model.entities[index].properties.indices {
        guard case .relationship(var relationship) = model.entities[index].properties[position] else { continue }
        if relationship.destinationEntityName == name { relationship.destinationEntityName = new }
        if relationship.inverseEntityName == name { relationship.inverseEntityName = new }
        model.entities[index].properties[position] = .relationship(relationship)
      }
    }
  }

  /// Changes one property of an entity.
  private static func change(_ entity: inout EntityDescription, _ step: Int, _ numbers: inout SplitMix) {
    guard !entity.properties.isEmpty else { return }
    let position = numbers.below(entity.properties.count)
    let isMentioned = { [entity] (name: String) in
      entity.uniquenessConstraints.joined().contains(name)
        || entity.fetchIndexes.contains { "\($0)".contains(name) } || entity.compoundIndexes.joined().contains(name)
    }
    switch entity.properties[position] {
    case .attribute(var attribute):
      guard attribute.derivation == nil, !isMentioned(attribute.name) else { return }
      switch numbers.below(4) {
      case 0:
        attribute.renamingIdentifier = attribute.renamingIdentifier ?? attribute.name
        attribute.name += "New"
      case 1: attribute.isOptional.toggle()
      case 2:
        let types: [AttributeType] = [.integer16, .integer32, .integer64, .double, .decimal, .string, .boolean]
        if attribute.type != .composite {
          (attribute.type, attribute.defaultValue) = (types[numbers.below(types.count)], nil)
        }
      default:
        entity.properties.remove(at: position)
        return
      }
      entity.properties[position] = .attribute(attribute)
    case .relationship(var relationship):
      if relationship.isToMany {
        relationship.isOrdered.toggle()
      } else if numbers.once(in: 2) {
        // Most random stores have an object without a destination, so that the migration is refused.
        relationship.isOptional.toggle()
      }
      entity.properties[position] = .relationship(relationship)
    case .fetchedProperty: break
    }
  }
}

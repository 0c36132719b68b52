internal import CoreDataStore
internal import ManagedModel

/// Matches the properties of model classes with the entities of one store's layout.
struct EntityBinder {
  let layout: StoreLayout
  /// The store's index in its container.
  let store: Int
  let classes: [String: any PersistentModel.Type]

  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` for a property that the entity does not have.
  func binding(
    _ entity: EntityLayout, _ type: any PersistentModel.Type, table: Int, reference: EntityReference
  ) throws -> EntityBinding {
    var columns: [ColumnSelection] = []
    var width = 0
    var properties: [PropertyBinding] = []
    let model = ModelClass.of(type)
    for (index, name) in persistentNames(of: type).enumerated() {
      guard let name, let declared = model.property(at: index) else {
        properties.append(
          PropertyBinding(name: "", width: 0, relationship: nil, declaringClass: ObjectIdentifier(type)))
        continue
      }
      let property = entity.property(named: name)
      var ownWidth = 0
      switch property {
      case .attribute(let attribute): ownWidth = attribute.columns.count
      case .toOne: ownWidth = 2
      case .toMany: break
      case nil:
        guard isTransient(name, of: entity) else {
          throw SwiftDataError(
            .loadIssueModelContainer,
            "Property \"\(name)\" of class \(type) is not in the store's entity \"\(entity.name)\".")
        }
      }
      if property != nil { columns.append(ColumnSelection(entityName: entity.name, propertyName: name)) }
      width += ownWidth
      properties.append(
        PropertyBinding(
          name: name, width: ownWidth, relationship: property.flatMap { relationship($0) },
          declaringClass: ObjectIdentifier(model.declaringClass(of: declared).type)))
    }
    return EntityBinding(
      type, name: entity.name, tag: EntityTag.make(store: store, entity: Int32(entity.number)), table: table,
      properties: properties, columns: columns, width: width, reference: reference)
  }

  private func isTransient(_ name: String, of entity: EntityLayout) -> Bool {
    layout.graph.properties(of: entity.name).contains { $0.name == name && $0.isTransient }
  }

  private func relationship(_ property: PropertyLayout) -> RelationshipBinding? {
    switch property {
    case .attribute: return nil
    case .toOne(let toOne):
      return make(toOne.description, toOne.destinationName, toOne.destinationNumber, toOne.inverse, .key)
    case .toMany(let toMany):
      let storage: RelationshipBinding.Storage
      switch toMany.storage {
      case .key(let side): storage = side.isVirtual ? .listed : .key
      case .joinTable(let side):
        let own = (toMany.declaringEntityName, toMany.description.name)
        let other = toMany.inverse.map { ($0.entityName, $0.description.name) } ?? own
        storage = side.isReflexive ? .reflexive : own <= other ? .listed : .listedByInverse
      }
      return make(toMany.description, toMany.destinationName, toMany.destinationNumber, toMany.inverse, storage)
    }
  }

  private func make(
    _ description: RelationshipDescription, _ destinationName: String, _ destinationNumber: Int,
    _ inverse: InverseLayout?, _ storage: RelationshipBinding.Storage
  ) -> RelationshipBinding {
    let type = classes[destinationName]
    let index = type.flatMap { type in inverse.flatMap { persistentNames(of: type).firstIndex(of: $0.description.name) }
    }
    return RelationshipBinding(
      description: description, destination: EntityTag.make(store: store, entity: Int32(destinationNumber)),
      inverse: index, isInverseToMany: inverse?.description.isToMany ?? false, storage: storage)
  }
}

/// The stored names of a class's properties, by property index; `nil` for an unused index.
private func persistentNames(of type: any PersistentModel.Type) -> [String?] {
  let model = ModelClass.of(type)
  return (0..<(model.properties.map { $0.index + 1 }.max() ?? 0)).map { model.property(at: $0)?.persistentName }
}

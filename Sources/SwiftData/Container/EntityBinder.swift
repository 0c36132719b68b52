internal import ManagedModel
internal import StoreRequests

/// Matches the properties of model classes with the entities of one store.
struct EntityBinder {
  let entities: EntityTable
  /// The store's index in its container.
  let store: Int
  let classes: [String: any PersistentModel.Type]

  /// - Parameter table: the place of the entity's hierarchy among those of the container.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` for a property that the entity does not have.
  func binding(
    _ entity: StoreEntity, _ type: any PersistentModel.Type, table: Int
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
      guard property != nil || entities.isUnstored(name, of: entity) else {
        throw SwiftDataError(
          .loadIssueModelContainer,
          "Property \"\(name)\" of class \(type) is not in the store's entity \"\(entity.name)\".")
      }
      let ownWidth = property?.width ?? 0
      if property != nil { columns.append(ColumnSelection(entityName: entity.name, propertyName: name)) }
      width += ownWidth
      properties.append(
        PropertyBinding(
          name: name, width: ownWidth, relationship: property.flatMap { relationship($0) },
          declaringClass: ObjectIdentifier(model.declaringClass(of: declared).type)))
    }
    return EntityBinding(
      type, name: entity.name, tag: EntityTag.make(store: store, entity: entity.number), table: table,
      properties: properties, columns: columns, width: width)
  }

  private func relationship(_ property: StoreProperty) -> RelationshipBinding? {
    switch property {
    case .attribute: nil
    case .toOne(let relationship), .toMany(let relationship):
      RelationshipBinding(
        description: relationship.description,
        destination: EntityTag.make(store: store, entity: relationship.destinationNumber),
        inverse: relationship.inverse.flatMap { inverse in
          classes[relationship.destinationName].flatMap { persistentNames(of: $0).firstIndex(of: inverse.name) }
        },
        isInverseToMany: relationship.inverse?.isToMany ?? false, storage: relationship.storage)
    }
  }
}

/// The stored names of a class's properties, by property index; `nil` for an unused index.
private func persistentNames(of type: any PersistentModel.Type) -> [String?] {
  let model = ModelClass.of(type)
  return (0..<(model.properties.map { $0.index + 1 }.max() ?? 0)).map { model.property(at: $0)?.persistentName }
}

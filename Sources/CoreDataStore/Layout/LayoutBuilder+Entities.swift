import ManagedModel
import SQLite

extension LayoutBuilder {
  /// Assembles the results of the earlier steps; call it last.
  func makeEntities() -> [EntityLayout] {
    var kinds: [String: [Int]] = [:]
    for name in order {
      for ancestor in graph.lineage(of: name) { kinds[ancestor.name, default: []].append(number(name)) }
    }
    var inherited: [String: [PropertyLayout]] = [:]
    return order.compactMap { name in
      guard let description = graph.entity(name) else { return nil }
      let root = rootNames[name] ?? name
      var layouts = (description.superentityName.flatMap { inherited[$0] } ?? []).map { layout in
        redeclared(layout, by: name)
      }
      layouts += (ownProperties[name] ?? []).compactMap { layout(of: $0, declaredBy: name) }
      inherited[name] = layouts
      return EntityLayout(
        description: description, number: number(name), table: tableName(name), rootName: root,
        rootNumber: number(root), superentityNumber: description.superentityName.map(number) ?? 0,
        lineage: graph.lineage(of: name).map(\.name), kindNumbers: (kinds[name] ?? []).sorted(), properties: layouts)
    }.sorted { $0.number < $1.number }
  }

  /// An inherited property that the entity redeclares: it keeps its column and takes the new description.
  private func redeclared(_ layout: PropertyLayout, by entity: String) -> PropertyLayout {
    guard graph.entity(entity)?.properties.contains(where: { $0.name == layout.name }) == true,
      let property = properties[entity]?[layout.name]
    else { return layout }
    return self.layout(of: property, declaredBy: layout.declaringEntityName) ?? layout
  }

  private func layout(of property: PropertyDescription, declaredBy entity: String) -> PropertyLayout? {
    let key = PropertyKey(entity: entity, property: property.name)
    switch property {
    case .attribute(let attribute):
      guard let columns = attributeColumns[key] else { return nil }
      return .attribute(AttributeLayout(description: attribute, declaringEntityName: entity, columns: columns))
    case .relationship(let relationship):
      return relationship.isToMany
        ? toMany(relationship, key).map(PropertyLayout.toMany) : toOne(relationship, key).map(PropertyLayout.toOne)
    case .fetchedProperty:
      return nil
    }
  }

  private func toOne(_ relationship: RelationshipDescription, _ key: PropertyKey) -> ToOneLayout? {
    guard let columns = keyColumns[key] else { return nil }
    let destination = relationship.destinationEntityName
    let inverse = try? inverse(of: relationship, declaredBy: key.entity)
    let inverseKey = inverse.flatMap { inverse in
      inverse.description.isToMany
        ? nil : keyColumns[PropertyKey(entity: inverse.entityName, property: inverse.description.name)]?.key
    }
    return ToOneLayout(
      description: relationship, declaringEntityName: key.entity, destinationName: destination,
      destinationNumber: number(destination), destinationTable: tableName(destination),
      inverse: inverse, key: columns.key, inverseKey: inverseKey, entityColumn: columns.entityColumn,
      orderColumn: columns.orderColumn)
  }

  private func toMany(_ relationship: RelationshipDescription, _ key: PropertyKey) -> ToManyLayout? {
    let destination = relationship.destinationEntityName
    let inverse = try? inverse(of: relationship, declaredBy: key.entity)
    let storage: ToManyLayout.Storage
    if let side = joinSides[key] {
      storage = .joinTable(side)
    } else if let inverse {
      let inverseKey = PropertyKey(entity: inverse.entityName, property: inverse.description.name)
      guard let columns = keyColumns[inverseKey] else { return nil }
      storage = .key(
        ToManyLayout.KeySide(
          table: tableName(destination), key: columns.key, entityColumn: columns.entityColumn,
          orderColumn: columns.orderColumn, isVirtual: false))
    } else {
      guard let columns = keyColumns[key] else { return nil }
      storage = .key(
        ToManyLayout.KeySide(
          table: tableName(destination), key: columns.key, entityColumn: nil, orderColumn: columns.orderColumn,
          isVirtual: true))
    }
    return ToManyLayout(
      description: relationship, declaringEntityName: key.entity, destinationName: destination,
      destinationNumber: number(destination), destinationTable: tableName(destination), inverse: inverse,
      storage: storage)
  }
}

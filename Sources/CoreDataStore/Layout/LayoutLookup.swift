import ErrorReporting
import ManagedModel
import SQLite
import StoreRequests

/// Look-ups by name. An error states the missing name and suggests the nearest one.
extension StoreLayout {
  package func existingEntity(_ name: String) throws -> EntityLayout {
    guard let entity = entity(named: name) else {
      throw QueryError.unknownEntity(name: name, nearest: nearestName(to: name, in: entities.map(\.name)))
    }
    return entity
  }

  package func existingEntity(_ number: Int32) throws -> EntityLayout {
    guard let entity = entity(numbered: Int(number)) else { throw QueryError.unknownEntityNumber(number) }
    return entity
  }

  package func property(_ name: String, of entity: EntityLayout) throws -> PropertyLayout {
    guard let property = entity.property(named: name) else {
      throw QueryError.unknownProperty(
        name: name, entity: entity.name, nearest: nearestName(to: name, in: entity.properties.map(\.name)))
    }
    return property
  }

  package func toOne(_ name: String, of entity: EntityLayout) throws -> ToOneLayout {
    guard case .toOne(let relationship) = try property(name, of: entity) else {
      throw QueryError.wrongKind(property: name, entity: entity.name, expected: .toOne)
    }
    return relationship
  }

  package func toMany(_ name: String, of entity: EntityLayout) throws -> ToManyLayout {
    guard case .toMany(let relationship) = try property(name, of: entity) else {
      throw QueryError.wrongKind(property: name, entity: entity.name, expected: .toMany)
    }
    return relationship
  }

  /// The single column of an attribute, or of a composite's element at a path of names.
  package func attributeColumn(_ name: String, element: [String], of entity: EntityLayout) throws -> AttributeColumn {
    guard case .attribute(let attribute) = try property(name, of: entity) else {
      throw QueryError.wrongKind(property: name, entity: entity.name, expected: .attribute)
    }
    let candidates = attribute.columns.filter { element.isEmpty || $0.path.dropFirst().elementsEqual(element) }
    guard candidates.count == 1, let column = candidates.first else {
      throw QueryError.wrongKind(
        property: ([name] + element).joined(separator: "."), entity: entity.name, expected: .compositeElement)
    }
    return column
  }

  package func destination(of relationship: ToOneLayout) throws -> EntityLayout {
    try existingEntity(relationship.destinationName)
  }

  package func destination(of relationship: ToManyLayout) throws -> EntityLayout {
    try existingEntity(relationship.destinationName)
  }
}

extension AttributeColumn {
  /// Whether values may be in files beside the store. Values in rows then have a prefix (CD-5).
  package var isExternal: Bool { column.type == .binary && attribute.allowsExternalBinaryDataStorage }
}

extension StoreLayout {
  /// Whether the model has the property, but stores do not: a transient or fetched property.
  package func isUnstored(_ name: String, of entity: EntityLayout) -> Bool {
    entity.property(named: name) == nil && graph.properties(of: entity.name).contains { $0.name == name }
  }
}

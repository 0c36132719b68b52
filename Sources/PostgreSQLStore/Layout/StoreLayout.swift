import ErrorReporting
import ManagedModel
import PostgreSQL
import StoreRequests

/// The tables and columns of a model's entities; the same for the same model, schema and rule of names.
final class StoreLayout: Sendable {
  /// The schema of the database that has the tables.
  let schema: Identifier
  let graph: EntityGraph
  let entities: EntityTable
  /// By the number of the hierarchy.
  let tables: [TableLayout]
  let joinTables: [JoinTableLayout]
  private let properties: [Int32: [String: PropertyLayout]]

  init(
    schema: Identifier, graph: EntityGraph, entities: EntityTable, tables: [TableLayout],
    joinTables: [JoinTableLayout], properties: [Int32: [String: PropertyLayout]]
  ) {
    self.schema = schema
    self.graph = graph
    self.entities = entities
    self.tables = tables
    self.joinTables = joinTables
    self.properties = properties
  }

  func table(of entity: StoreEntity) -> TableLayout { tables[entity.hierarchy] }

  func qualified(_ name: Identifier) -> String { "\(schema).\(name)" }

  func existingEntity(_ number: Int32) throws -> StoreEntity {
    guard let entity = entities.entity(numbered: number) else { throw QueryError.unknownEntityNumber(number) }
    return entity
  }

  /// - Throws: ``QueryError/unknownProperty(name:entity:nearest:)``
  func property(_ name: String, of entity: StoreEntity) throws -> PropertyLayout {
    if let property = properties[entity.number]?[name] { return property }
    _ = try entities.property(name, of: entity)
    throw QueryError.unknownProperty(name: name, entity: entity.name, nearest: nil)
  }

  func toOne(_ name: String, of entity: StoreEntity) throws -> ToOneLayout {
    guard case .toOne(let relationship) = try property(name, of: entity) else {
      throw QueryError.wrongKind(property: name, entity: entity.name, expected: .toOne)
    }
    return relationship
  }

  func toMany(_ name: String, of entity: StoreEntity) throws -> ToManyLayout {
    guard case .toMany(let relationship) = try property(name, of: entity) else {
      throw QueryError.wrongKind(property: name, entity: entity.name, expected: .toMany)
    }
    return relationship
  }

  /// The column of an attribute, or of an element of a composite, with the type of its values.
  func column(
    _ name: String, element: [String], of entity: StoreEntity
  ) throws -> (column: ColumnLayout, type: AttributeType) {
    guard case .attribute(let layout) = try property(name, of: entity) else {
      throw QueryError.wrongKind(property: name, entity: entity.name, expected: .attribute)
    }
    let leaf = try layout.attribute.leaf(element, of: entity)
    guard let index = layout.attribute.leaves.firstIndex(where: { $0.path == leaf.path }) else {
      throw QueryError.wrongKind(property: name, entity: entity.name, expected: .compositeElement)
    }
    return (layout.columns[index], leaf.attribute.type)
  }

  func destination(of relationship: StoreRelationship) throws -> StoreEntity {
    try entities.existingEntity(relationship.destinationName)
  }

  /// The columns that a source binds for some properties, in its order; `nil` for a value that has no column.
  func columns(_ selections: [ColumnSelection], of entity: StoreEntity) throws -> [ColumnLayout?] {
    try selections.flatMap { selection -> [ColumnLayout?] in
      if entities.isUnstored(selection.propertyName, of: entity) { return [] }
      switch try property(selection.propertyName, of: entity) {
      case .attribute(let attribute): return attribute.columns
      // The number of the destination's entity follows from its row.
      case .toOne(let relationship): return [relationship.key, nil]
      case .toMany: return []
      }
    }
  }
}

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
  /// The one-to-one relationships.
  let oneToOne: [OneToOne<OneToOneSide>]
  private let properties: [Int32: [String: PropertyLayout]]
  /// By the number of the entity, and the name of the attribute.
  private let derivations: [Int32: [String: Derivation]]
  /// The derived attributes that triggers compute, each once, in an order that all programs share.
  let pathDerivations: [PathDerivation]

  /// A layout with the same tables, whose derived attributes are computed.
  convenience init(deriving layout: StoreLayout) {
    var derivations: [Int32: [String: Derivation]] = [:]
    for entity in layout.entities.entities {
      for case .attribute(let attribute) in (layout.properties[entity.number] ?? [:]).values
      where attribute.attribute.description.derivation != nil {
        derivations[entity.number, default: [:]][attribute.attribute.description.name] = Derivation(
          attribute, of: entity, in: layout)
      }
    }
    self.init(
      schema: layout.schema, graph: layout.graph, entities: layout.entities, tables: layout.tables,
      joinTables: layout.joinTables, properties: layout.properties, derivations: derivations)
  }

  init(
    schema: Identifier, graph: EntityGraph, entities: EntityTable, tables: [TableLayout],
    joinTables: [JoinTableLayout], properties: [Int32: [String: PropertyLayout]],
    derivations: [Int32: [String: Derivation]] = [:]
  ) {
    self.derivations = derivations
    let paths = entities.entities.sorted { $0.name < $1.name }.flatMap { entity -> [PathDerivation] in
      let inherited = entity.lineage.dropLast().last.flatMap { entities.entity(named: $0) }
      return (derivations[entity.number] ?? [:]).sorted { $0.key < $1.key }.compactMap { name, derivation in
        guard case .path(let path) = derivation, inherited?.property(named: name) == nil else { return nil }
        return path
      }
    }
    pathDerivations = DerivationTriggers.naming(paths)
    self.schema = schema
    self.graph = graph
    self.entities = entities
    self.tables = tables
    self.joinTables = joinTables
    self.properties = properties
    oneToOne = OneToOneSide.all(of: entities, tables, properties)
  }

  func table(of entity: StoreEntity) -> TableLayout { tables[entity.hierarchy] }

  func qualified(_ name: Identifier) -> String { "\(schema).\(name)" }

  func existingEntity(_ number: Int32) throws -> StoreEntity { try entities.existingEntity(number) }

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

  /// How the values of an attribute come about; `nil` for an attribute whose values are written as they are.
  func derivation(_ name: String, of entity: StoreEntity) -> Derivation? { derivations[entity.number]?[name] }

  /// The derived attributes that each save of a row computes, in the order of their names.
  func rowDerivations(of entity: StoreEntity) -> [RowDerivation] {
    guard let own = derivations[entity.number] else { return [] }
    return own.sorted { $0.key < $1.key }.compactMap {
      if case .row(let derivation) = $0.value { derivation } else { nil }
    }
  }

  /// Whether a property has no value in its own rows: a transient property, or a to-many relationship.
  func hasNoColumn(_ name: String, of entity: StoreEntity) -> Bool {
    if case .toMany? = entity.property(named: name) { return true }
    return entities.isUnstored(name, of: entity)
  }

  func destination(of relationship: StoreRelationship) throws -> StoreEntity {
    try entities.existingEntity(relationship.destinationName)
  }

  /// The columns that a source binds for some properties, in its order; `nil` for a value that has no column.
  ///
  /// - Parameter writesDerived: whether the values of derived attributes are written as they are; else the store computes them.
  func columns(
    _ selections: [ColumnSelection], of entity: StoreEntity, writesDerived: Bool = true
  ) throws -> [ColumnLayout?] {
    try selections.flatMap { selection -> [ColumnLayout?] in
      if hasNoColumn(selection.propertyName, of: entity) { return [] }
      switch try property(selection.propertyName, of: entity) {
      case .attribute(let attribute):
        let isComputed = !writesDerived && derivation(selection.propertyName, of: entity) != nil
        return isComputed ? attribute.columns.map { _ in nil } : attribute.columns
      // The number of the destination's entity follows from its row.
      case .toOne(let relationship): return [relationship.key, nil]
      case .toMany: return []
      }
    }
  }
}

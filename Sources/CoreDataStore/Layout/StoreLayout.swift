package import ManagedModel
package import SQLite

/// Where a store keeps what: the entities' numbers, tables, columns, keys and join tables that follow from a model.
///
/// A value without any input or output. What the model leaves open (CD-3.3) or a migration left behind (CD-9) is settled
/// once a real store's catalogue is at hand. Names of tables and columns are ``Identifier``s.
package struct StoreLayout: Sendable {
  package let model: ModelDescription
  package let graph: EntityGraph
  /// Entities in order of their numbers (CD-1.2).
  package let entities: [EntityLayout]
  /// One table per root entity, in order of the roots' numbers (CD-2).
  package let tables: [TableLayout]
  /// In order of creation (CD-1.1).
  package let joinTables: [JoinTableLayout]
  /// The location indexes that a store which is there has, with the triggers that keep them (CD-4).
  package private(set) var locationIndexes: [LocationIndexLayout] = []
  /// The subset of the model's entities that this store holds; `nil` for all.
  package let entityNames: Set<String>?
  /// Keys of to-one relationships and virtual keys by table, which all are indexed (CD-4).
  let keyColumns: [Identifier: Set<Identifier>]
  private let tableByName: [Identifier: TableLayout]
  private let entityByName: [String: EntityLayout]
  private let entityByNumber: [Int: EntityLayout]

  /// Lays out a store for a model, or for the entities of one of its configurations.
  ///
  /// Cost: linear in the number of properties of all entities, inherited ones counted for each.
  /// - Parameters:
  ///   - catalogue: the tables and columns of a store that is there; `nil` for one that is to be made.
  ///   - numbers: its `Z_ENT` per `Z_NAME`; names the model does not know are taken as stale, by position (CD-1.2).
  /// - Throws: ``LayoutError`` if the model has a hole, or tables would collide.
  package init(
    model: ModelDescription, entityNames: Set<String>? = nil, catalogue: Catalogue? = nil,
    numbers: [String: Int] = [:]
  ) throws {
    try self.init(LayoutBuilder(model: model, entityNames: entityNames, numbers: numbers, catalogue: catalogue))
  }

  private init(_ builder: consuming LayoutBuilder) throws {
    try builder.build()
    model = builder.model
    graph = builder.graph
    entityNames = builder.entityNames
    entities = builder.makeEntities()
    tables = builder.tables
    joinTables = builder.joinTables
    keyColumns = StoreLayout.keyColumns(of: entities)
    tableByName = Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    entityByName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    entityByNumber = Dictionary(entities.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
    if let catalogue = builder.catalogue { locationIndexes = locationIndexes(in: catalogue) }
  }

  private static func keyColumns(of entities: [EntityLayout]) -> [Identifier: Set<Identifier>] {
    var keys: [Identifier: Set<Identifier>] = [:]
    for entity in entities {
      for property in entity.properties where property.declaringEntityName == entity.name {
        switch property {
        case .toOne(let relationship): keys[entity.table, default: []].insert(relationship.key)
        case .toMany(let relationship):
          if case .key(let side) = relationship.storage, side.isVirtual {
            keys[side.table, default: []].insert(side.key)
          }
        case .attribute: break
        }
      }
    }
    return keys
  }

  package func entity(named name: String) -> EntityLayout? { entityByName[name] }

  package func entity(numbered number: Int) -> EntityLayout? { entityByNumber[number] }

  package func table(_ name: Identifier) -> TableLayout? { tableByName[name] }

  /// The largest number of attributes that one entity keeps in history after deletion: the count of `ZTOMBSTONE`
  /// columns (CD-7).
  package var tombstoneCount: Int { entities.map { $0.tombstoneAttributes.count }.max() ?? 0 }
}

extension EntityLayout {
  /// The attributes whose values stay in history on deletion, by name: the i-th goes to `ZTOMBSTONE`i (CD-7).
  package var tombstoneAttributes: [AttributeLayout] {
    properties.compactMap { property -> AttributeLayout? in
      guard case .attribute(let attribute) = property, attribute.description.preservesValueInHistoryOnDeletion else {
        return nil
      }
      return attribute
    }.sorted { codeUnitOrder($0.description.name, $1.description.name) }
  }
}

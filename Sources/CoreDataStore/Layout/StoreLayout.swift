package import ManagedModel
package import SQLite
import StoreRequests

/// The tables of a store as they follow from a model: entity numbers, tables, columns, keys and join tables.
///
/// A value without input or output. For an existing store, its catalogue decides the names that the model leaves open
/// (CD-3.3) or that a migration left behind (CD-9). Names of tables and columns are ``Identifier``s.
package struct StoreLayout: Sendable {
  package let model: ModelDescription
  package let graph: EntityGraph
  /// Entities in order of their numbers (CD-1.2).
  package let entities: [EntityLayout]
  /// One table per root entity, in order of the roots' numbers (CD-2).
  package let tables: [TableLayout]
  /// The join tables in order of creation (CD-1.1).
  package let joinTables: [JoinTableLayout]
  /// The location indexes of an existing store with all their triggers (CD-4).
  package private(set) var locationIndexes: [LocationIndexLayout] = []
  /// The search indexes of an existing store with all their triggers.
  package internal(set) var searchIndexes: [SearchIndexLayout] = []
  /// The subset of the model's entities that this store holds; `nil` for all.
  package let entityNames: Set<String>?
  /// The keys of to-one relationships and the virtual keys, by table. All of them are indexed (CD-4).
  let keyColumns: [Identifier: Set<Identifier>]
  /// The one-to-one relationships of the store's entities.
  let oneToOne: [OneToOne<OneToOneSide>]
  private let tableByName: [Identifier: TableLayout]
  private let entityByName: [String: EntityLayout]
  private let entityByNumber: [Int: EntityLayout]

  /// Lays out a store for a model, or for the entities of one of its configurations.
  ///
  /// Cost: linear in the number of properties of all entities, including inherited ones.
  /// - Parameters:
  ///   - catalogue: the tables and columns of an existing store; `nil` for a new store.
  ///   - numbers: the store's `Z_ENT` by `Z_NAME`. A name that the model lacks is stale, and its number
  ///     counts by position (CD-1.2).
  /// - Throws: ``LayoutError`` for an inconsistent model, or colliding tables.
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
    oneToOne = OneToOneSide.all(of: entities)
    tableByName = Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    entityByName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    entityByNumber = Dictionary(entities.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
    if let catalogue = builder.catalogue {
      locationIndexes = locationIndexes(in: catalogue)
      searchIndexes = searchTables(in: catalogue.definitions).filter { $0.isWhole(in: catalogue.definitions) }
    }
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

  /// The number of `ZTOMBSTONE` columns: the most attributes that history keeps of one deleted object (CD-7).
  package var tombstoneCount: Int { entities.map { $0.tombstoneAttributes.count }.max() ?? 0 }
}

extension EntityLayout {
  /// The attributes that history keeps of a deleted object: attributes of superentities first, each entity's own by name.
  /// The i-th is in `ZTOMBSTONE`i (CD-7).
  package var tombstoneAttributes: [AttributeLayout] {
    properties.compactMap { property -> AttributeLayout? in
      guard case .attribute(let attribute) = property, attribute.description.preservesValueInHistoryOnDeletion else {
        return nil
      }
      return attribute
    }
  }
}

import CoreDataStore
import ErrorReporting
import ManagedModel
import SQLite
import StoreRequests

/// A store's entities as tables with plain names.
///
/// An entity is a table with the entity's name; a property is a column. `id` is the object's key. A to-one relationship
/// holds the key of its object. Tables of a hierarchy have a column `entity` with the name of the row's entity. A
/// many-to-many relationship is a table `Entity_relationship`. Elements of composites are columns `attribute_element`.
///
/// Names that are equal but for case, or that tables of the store have, get numbers; ``renamings`` lists them.
struct ExportSchema {
  let tables: StoredTables
  /// The entities in the order of their numbers. The root of a hierarchy comes before its subentities.
  let entities: [Entity]
  let joins: [Join]
  let renamings: [(what: String, name: String)]

  struct Entity {
    let entity: StoreEntity
    let name: Identifier
    let key: Identifier
    /// The column with the name of a row's entity; `nil` in a table of one entity.
    let kind: Identifier?
    let columns: [Column]
    var isRoot: Bool { entity.lineage.count == 1 }
  }

  struct Column {
    let name: Identifier
    let type: String
    /// The plain value, as SQL in a query of ``StoredTables``.
    let value: String
    /// The destination entity of a column of keys; `nil` for other columns.
    let destination: String?
    /// Identifies columns of a hierarchy: subentities share inherited columns, and may have different columns of one
    /// name.
    let identity: Identity
  }

  struct Identity: Hashable {
    let property: ColumnSelection
    let part: String
  }

  /// A many-to-many relationship.
  struct Join {
    let name: Identifier
    let pairs: StoredTables.Pairs
    let columns: StoredTables.PairNames
    /// The positions of the relationship, and of its inverse.
    var positions: [Identifier] { [columns.position, columns.ownerPosition].compactMap(\.self) }
  }

  /// - Parameter taken: names that tables must not have.
  init(_ stored: StoredTables, taken: [String] = []) throws {
    tables = stored
    var tables = ExportNames(taken: taken)
    var renamings: [(what: String, name: String)] = []
    var entities: [Entity] = []
    for root in stored.entities.entities where root.lineage.count == 1 {
      let kinds = root.kindNumbers.compactMap { stored.entities.entity(numbered: $0) }
      var names = ExportNames()
      var columns: [Identity: Column] = [:]
      var sequences: [[Identity]] = []
      for kind in kinds {
        let sources = try stored.columns(of: kind).map { (identity: Self.identity(of: $0), column: $0) }
        for (identity, source) in sources where columns[identity] == nil {
          let property = identity.property
          let name = names.take(
            identity.part, or: "\(property.entityName)_\(identity.part)",
            for: "property \(quoted(property.propertyName)) of entity \(quoted(property.entityName))")
          columns[identity] = Column(source, named: name, identity)
        }
        sequences.append(sources.map(\.identity))
      }
      let key = names.take("id", or: "_id", for: "the key of entity \(quoted(root.name))")
      let kindColumn =
        kinds.count > 1 ? names.take("entity", or: "_entity", for: "the entity of \(quoted(root.name))") : nil
      for (kind, identities) in zip(kinds, sequences) {
        entities.append(
          Entity(
            entity: kind, name: tables.take(kind.name, for: "entity \(quoted(kind.name))"), key: key, kind: kindColumn,
            columns: identities.compactMap { columns[$0] }))
      }
      renamings += names.renamings
    }
    self.entities = entities
    joins = stored.pairs.map { Self.join($0, &tables) }
    self.renamings = tables.renamings + renamings
  }

  func entity(_ name: String) -> Entity? { entities.first { $0.entity.name == name } }

  /// The columns of a whole hierarchy, the root's first.
  func hierarchy(_ root: Entity) -> [Column] {
    var seen: Set<Identity> = []
    return entities.filter { root.entity.kindNumbers.contains($0.entity.number) }.flatMap(\.columns).filter {
      seen.insert($0.identity).inserted
    }
  }

  /// The query for the key, the entity and some columns of the rows of an entity and its subentities.
  func select(_ columns: [Column], of entity: Entity) throws -> String {
    try tables.select(
      entity.entity, key: entity.key, kind: entity.kind, columns: columns.map { ($0.value, $0.name) })
  }

  func select(_ join: Join) -> String { tables.select(join.pairs, as: join.columns) }

  private static func identity(of column: StoredTables.Column) -> Identity {
    let name = column.property.propertyName
    let part =
      switch column.content {
      case .attribute(let leaf): leaf.path.joined(separator: "_")
      case .destination: name
      case .position: "\(name)_position"
      case .owner: "\(column.property.entityName)_\(name)"
      case .positionInOwner: "\(column.property.entityName)_\(name)_position"
      }
    return Identity(property: column.property, part: part)
  }

  private static func join(_ pairs: StoredTables.Pairs, _ tables: inout ExportNames) -> Join {
    let (owner, name) = (pairs.ownerName, pairs.relationshipName)
    var columns = ExportNames()
    let own = columns.take(owner)
    let other = columns.take(name)
    let position = pairs.hasPositions ? columns.take("position") : nil
    let ownerPosition = pairs.hasOwnerPositions ? columns.take("\(owner)_position") : nil
    return Join(
      name: tables.take("\(owner)_\(name)", for: "relationship \(quoted(name)) of entity \(quoted(owner))"),
      pairs: pairs,
      columns: StoredTables.PairNames(owner: own, destination: other, position: position, ownerPosition: ownerPosition))
  }
}

extension ExportSchema.Column {
  fileprivate init(_ column: StoredTables.Column, named name: Identifier, _ identity: ExportSchema.Identity) {
    self.name = name
    self.identity = identity
    switch column.content {
    case .attribute(let leaf):
      type = ExportSQL.type(leaf.attribute.type)
      value = ExportSQL.value(column.value, of: leaf.attribute.type)
      destination = nil
    case .destination(let entity), .owner(let entity):
      type = "INTEGER"
      value = column.value
      destination = entity
    case .position, .positionInOwner:
      type = "INTEGER"
      value = column.value
      destination = nil
    }
  }
}

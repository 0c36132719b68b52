import CoreDataStore
import ErrorReporting
import ManagedModel
import SQLite

/// A store's entities as tables with plain names.
///
/// An entity is a table with the entity's name; a property is a column. `id` is the object's key. A to-one relationship
/// holds the key of its object. Tables of a hierarchy have a column `entity` with the name of the row's entity. A
/// many-to-many relationship is a table `Entity_relationship`. Elements of composites are columns `attribute_element`.
///
/// Names that are equal but for case, or that tables of the store have, get numbers; ``renamings`` lists them.
struct ExportSchema {
  let layout: StoreLayout
  /// The entities in the order of their numbers. The root of a hierarchy comes before its subentities.
  let entities: [Entity]
  let joins: [Join]
  let renamings: [(what: String, name: String)]

  struct Entity {
    let layout: EntityLayout
    let name: Identifier
    let key: Identifier
    /// The column with the name of a row's entity; `nil` in a table of one entity.
    let kind: Identifier?
    let columns: [Column]
    var isRoot: Bool { layout.superentityName == nil }
  }

  struct Column {
    let name: Identifier
    let type: String
    /// The value, as SQL over a row of the entity's table with the alias `t`.
    let value: String
    /// The destination entity of a column of keys; `nil` for other columns.
    let destination: String?
    /// Identifies columns of a hierarchy: subentities share inherited columns, and may have different columns of one
    /// name.
    let identity: Identity
  }

  struct Identity: Hashable {
    let declaringEntity: String
    let property: String
    let part: String
  }

  /// A join table.
  struct Join {
    let name: Identifier
    let side: ToManyLayout.JoinSide
    let owner: String
    let destination: String
    let ownColumn: Identifier
    let otherColumn: Identifier
    /// The order keys of the relationship, and of its inverse.
    let orderColumns: [(name: Identifier, source: Identifier)]
  }

  /// - Parameter taken: names that tables must not have.
  init(_ layout: StoreLayout, taken: [String] = []) {
    self.layout = layout
    var tables = ExportNames(taken: taken)
    var renamings: [(what: String, name: String)] = []
    var entities: [Entity] = []
    for root in layout.entities where root.superentityName == nil {
      let kinds = root.kindNumbers.compactMap { layout.entity(numbered: $0) }
      var names = ExportNames()
      var columns: [Identity: Column] = [:]
      var sequences: [[Identity]] = []
      for kind in kinds {
        let sources =
          kind.properties.flatMap { Self.sources($0, of: kind, in: layout) } + Self.virtualKeys(of: kind, in: layout)
        for source in sources where columns[source.identity] == nil {
          let identity = source.identity
          let name = names.take(
            identity.part, or: "\(identity.declaringEntity)_\(identity.part)",
            for: "property \(quoted(identity.property)) of entity \(quoted(identity.declaringEntity))")
          columns[identity] = Column(
            name: name, type: source.type, value: source.value, destination: source.destination, identity: identity)
        }
        sequences.append(sources.map(\.identity))
      }
      let key = names.take("id", or: "_id", for: "the key of entity \(quoted(root.name))")
      let kindColumn =
        root.hasSubentities ? names.take("entity", or: "_entity", for: "the entity of \(quoted(root.name))") : nil
      for (kind, identities) in zip(kinds, sequences) {
        entities.append(
          Entity(
            layout: kind, name: tables.take(kind.name, for: "entity \(quoted(kind.name))"), key: key, kind: kindColumn,
            columns: identities.compactMap { columns[$0] }))
      }
      renamings += names.renamings
    }
    self.entities = entities
    joins = Self.joins(of: layout, &tables)
    self.renamings = tables.renamings + renamings
  }

  func entity(_ name: String) -> Entity? { entities.first { $0.layout.name == name } }

  /// The columns of a whole hierarchy, the root's first.
  func hierarchy(_ root: Entity) -> [Column] {
    var seen: Set<Identity> = []
    return entities.filter { root.layout.kindNumbers.contains($0.layout.number) }.flatMap(\.columns).filter {
      seen.insert($0.identity).inserted
    }
  }

  // MARK: Columns

  private struct Source {
    let identity: Identity
    let type: String
    let value: String
    var destination: String?
  }

  private static func sources(
    _ property: PropertyLayout, of kind: EntityLayout, in layout: StoreLayout
  ) -> [Source] {
    func identity(_ part: String) -> Identity {
      Identity(declaringEntity: property.declaringEntityName, property: property.name, part: part)
    }
    switch property {
    case .attribute(let attribute):
      return attribute.columns.map { column in
        Source(
          identity: identity(column.path.joined(separator: "_")), type: ExportSQL.type(column.attribute.type),
          value: ExportSQL.value(column, of: kind, in: layout))
      }
    case .toOne(let relationship):
      let key = Source(
        identity: identity(property.name), type: "INTEGER",
        value: layout.key(of: relationship, of: kind, alias: "t"),
        destination: relationship.destinationName)
      let order = relationship.orderColumn.map {
        Source(identity: identity("\(property.name)_position"), type: "INTEGER", value: "t.\($0)")
      }
      return [key] + (order.map { [$0] } ?? [])
    case .toMany: return []
    }
  }

  /// The keys of relationships without inverse that lead to an entity (CD-3.2).
  private static func virtualKeys(of entity: EntityLayout, in layout: StoreLayout) -> [Source] {
    layout.entities.flatMap { owner in
      owner.properties.flatMap { property -> [Source] in
        guard case .toMany(let relationship) = property, property.declaringEntityName == owner.name,
          case .key(let side) = relationship.storage, side.isVirtual,
          entity.lineage.contains(relationship.destinationName)
        else { return [] }
        let name = "\(owner.name)_\(property.name)"
        func identity(_ part: String) -> Identity {
          Identity(declaringEntity: owner.name, property: property.name, part: part)
        }
        let key = Source(identity: identity(name), type: "INTEGER", value: "t.\(side.key)", destination: owner.name)
        let order = side.orderColumn.map {
          Source(identity: identity("\(name)_position"), type: "INTEGER", value: "t.\($0)")
        }
        return [key] + (order.map { [$0] } ?? [])
      }
    }
  }

  private static func joins(of layout: StoreLayout, _ tables: inout ExportNames) -> [Join] {
    layout.joinTables.compactMap { join in
      guard
        case .toMany(let relationship)? = layout.entity(named: join.master.entityName)?
          .property(named: join.master.relationshipName), case .joinTable(let side) = relationship.storage
      else { return nil }
      let owner = join.master.entityName
      let name = join.master.relationshipName
      var columns = ExportNames()
      let own = columns.take(owner)
      let other = columns.take(name)
      return Join(
        name: tables.take("\(owner)_\(name)", for: "relationship \(quoted(name)) of entity \(quoted(owner))"),
        side: side, owner: owner, destination: relationship.destinationName, ownColumn: own, otherColumn: other,
        orderColumns: [
          side.orderColumn.map { (columns.take("position"), $0) },
          side.inverseOrderColumn.map { (columns.take("\(owner)_position"), $0) },
        ].compactMap { $0 })
    }
  }
}

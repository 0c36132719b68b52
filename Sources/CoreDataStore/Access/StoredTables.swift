package import SQLite
package import StoreRequests

/// A store's entities and join tables as queries, for programs that give their columns other names.
///
/// The names of the store's own tables and columns are in the text of the queries only.
package struct StoredTables: Sendable {
  let layout: StoreLayout
  package let entities: EntityTable

  fileprivate init(_ layout: StoreLayout, _ entities: EntityTable) {
    self.layout = layout
    self.entities = entities
  }

  /// A column of the rows of an entity.
  package struct Column: Sendable {
    /// The property that has the column, with the entity that declares it first.
    package let property: ColumnSelection
    package let content: Content
    /// The value in SQL, for ``StoredTables/select(_:key:kind:columns:)``. External data is read from its file.
    package let value: String
  }

  package enum Content: Sendable {
    /// A leaf of an attribute, as it is stored.
    case attribute(StoreAttribute.Leaf)
    /// The key of a to-one relationship's object.
    case destination(entityName: String)
    /// The row's position among the objects of its to-one relationship's object, if the inverse is ordered.
    case position
    /// The key of the owner in a to-many relationship without inverse (CD-3.2).
    case owner(entityName: String)
    /// The row's position among the owner's objects, if that relationship is ordered.
    case positionInOwner
  }

  /// The columns of an entity, inherited ones included, in the order of its properties. The keys of relationships without
  /// inverse that lead to it come last.
  package func columns(of entity: StoreEntity) throws -> [Column] {
    let entity = try layout.existingEntity(entity.number)
    return entity.properties.flatMap { columns(of: $0, in: entity) } + ownerColumns(of: entity)
  }

  private func columns(of property: PropertyLayout, in entity: EntityLayout) -> [Column] {
    let selection = ColumnSelection(entityName: property.declaringEntityName, propertyName: property.name)
    switch property {
    case .attribute(let attribute):
      let row = QueryPrinter.Row(alias: "t", entity: entity)
      return attribute.columns.map { column in
        Column(
          property: selection, content: .attribute(column.leaf), value: SQLText.reading(column, of: row, in: layout))
      }
    case .toOne(let relationship):
      let key = Column(
        property: selection, content: .destination(entityName: relationship.destinationName),
        value: layout.key(of: relationship, of: entity, alias: "t"))
      return [key] + Self.column(relationship.orderColumn, selection, .position)
    case .toMany: return []
    }
  }

  private func ownerColumns(of entity: EntityLayout) -> [Column] {
    layout.entities.flatMap { owner in
      owner.properties.flatMap { property -> [Column] in
        guard case .toMany(let relationship) = property, property.declaringEntityName == owner.name,
          case .key(let side) = relationship.storage, side.isVirtual,
          entity.lineage.contains(relationship.destinationName)
        else { return [] }
        let selection = ColumnSelection(entityName: owner.name, propertyName: property.name)
        return Self.column(side.key, selection, .owner(entityName: owner.name))
          + Self.column(side.orderColumn, selection, .positionInOwner)
      }
    }
  }

  private static func column(_ name: Identifier?, _ property: ColumnSelection, _ content: Content) -> [Column] {
    name.map { [Column(property: property, content: content, value: "t.\($0)")] } ?? []
  }

  /// The query for the objects of an entity and its subentities. Rows of entities that the model lacks are left out. It may be
  /// continued with ` ORDER BY ` and a name.
  ///
  /// - Parameters:
  ///   - key: the name of the object's key in the result.
  ///   - kind: the name of the column with the name of the object's entity; `nil` to leave it out in a table of one entity.
  ///   - columns: values as ``Column/value``, or SQL made of them, with their names.
  package func select(
    _ entity: StoreEntity, key: Identifier, kind: Identifier?, columns: [(value: String, name: Identifier)]
  ) throws -> String {
    let entity = try layout.existingEntity(entity.number)
    var terms = ["t.Z_PK AS \(key.quoted)"]
    if let kind {
      let names = entity.kindNumbers.compactMap { number in
        layout.entity(numbered: number).map { "WHEN \(number) THEN \(Identifier.literal($0.name))" }
      }
      terms.append("CASE t.Z_ENT \(names.joined(separator: " ")) END AS \(kind.quoted)")
    }
    terms += columns.map { "\($0.value) AS \($0.name.quoted)" }
    let test = kind == nil ? "" : " WHERE \(layout.kindTest(entity, alias: "t"))"
    return "SELECT \(terms.joined(separator: ", ")) FROM main.\(entity.table) t\(test)"
  }
}

extension PersistentStore {
  /// The store's tables as queries, for a connection that reads it.
  package var storedTables: StoredTables { StoredTables(layout, storedEntities) }
}

import ErrorReporting
import ManagedModel
import SQLite

extension LayoutBuilder {
  /// The nesting depth of composites. Core Data's own editor does not nest them.
  private static let compositeDepth = 16

  /// CD-2.2, CD-2.3: the columns of each root's table.
  ///
  /// No model determines the order of several order columns, nor of virtual keys from one source: real stores have the
  /// order of a hash table. A new store sorts them by entity and name, so that equal models give equal text. Every
  /// statement names its columns, so the order does not matter to readers.
  mutating func layOutTables() throws {
    let virtualKeys = try relationshipsWithoutInverse()
    var members: [String: [String]] = [:]
    for name in order { members[rootNames[name] ?? name, default: []].append(name) }
    for root in order where rootNames[root] == root {
      var names = ColumnNames()
      for entity in members[root] ?? [] {
        try addAttributes(of: entity, to: &names)
        try addToOneRelationships(of: entity, to: &names)
        for (source, relationship) in virtualKeys[entity] ?? [] {
          addVirtualKey(of: relationship, from: source, to: &names)
        }
      }
      // A stable sort: the order within a group stays.
      let columns = names.columns.enumerated().sorted {
        ($0.element.group, $0.offset) < ($1.element.group, $1.offset)
      }.map(\.element.column)
      tables.append(TableLayout(name: tableName(root), rootNumber: number(root), columns: columns))
    }
  }

  /// Columns in the order in which they get their names (CD-2.3), each with its sort group.
  private struct ColumnNames {
    private var names = NameClaims(reserved: ["Z_PK", "Z_ENT", "Z_OPT"], firstNumber: 1)
    private(set) var columns: [(column: ColumnLayout, group: Int)] = []

    /// The first column of a name gets the name itself, the following columns get it with 1, 2, 3 …
    mutating func add(_ name: String, _ type: ColumnType, group: Int? = nil) -> ColumnLayout {
      let column = ColumnLayout(name: Identifier(names.claim(name)), type: type)
      columns.append((column, group ?? type.group))
      return column
    }
  }

  private mutating func addAttributes(of entity: String, to names: inout ColumnNames) throws {
    for case .attribute(let attribute) in ownProperties[entity] ?? [] {
      var columns: [AttributeColumn] = []
      try addLeaves(of: attribute, path: [attribute.name], entity: entity, to: &names, columns: &columns)
      attributeColumns[PropertyKey(entity: entity, property: attribute.name)] = columns
    }
  }

  /// CD-2.4: the leaves of a composite in declared order. A column is named after its leaf alone.
  private func addLeaves(
    of attribute: AttributeDescription, path: [String], entity: String, to names: inout ColumnNames,
    columns: inout [AttributeColumn]
  ) throws {
    if attribute.type == .composite {
      guard path.count <= LayoutBuilder.compositeDepth else {
        throw LayoutError.compositeTooDeep(entity: entity, attribute: path[0])
      }
      for element in attribute.elements where !element.isTransient {
        try addLeaves(of: element, path: path + [element.name], entity: entity, to: &names, columns: &columns)
      }
      return
    }
    guard let type = ColumnType(attribute.type) else {
      throw LayoutError.unstorableAttribute(entity: entity, attribute: path.joined(separator: "."))
    }
    guard !attribute.name.utf8.contains(0) else {
      throw LayoutError.nulInName(of: "attribute \(quoted(path.joined(separator: ".")))", entity: entity)
    }
    let column = names.add("Z" + attribute.name.uppercased(), type)
    columns.append(AttributeColumn(column: column, path: path, attribute: attribute))
  }

  /// CD-3.1: the key, the entity column if the destination has subentities, the order column if the inverse is ordered.
  private mutating func addToOneRelationships(of entity: String, to names: inout ColumnNames) throws {
    for case .relationship(let relationship) in ownProperties[entity] ?? [] where !relationship.isToMany {
      try checkDestination(relationship, of: entity)
      let inverse = try inverse(of: relationship, declaredBy: entity)
      let destination = relationship.destinationEntityName
      let name = relationship.name.uppercased()
      var columns = KeyColumns(key: names.add("Z" + name, .integer).name)
      if hasSubentities(destination) {
        columns.entityColumn = names.add("Z\(number(destination))_" + name, .integer).name
      }
      if let inverse, inverse.description.isToMany, inverse.description.isOrdered {
        columns.orderColumn = names.add("Z_FOK_" + name, .order).name
      }
      keyColumns[PropertyKey(entity: entity, property: relationship.name)] = columns
    }
  }

  /// CD-3.2: the key of a to-many relationship without inverse is in the destination's table, directly before its order
  /// column.
  private mutating func addVirtualKey(
    of relationship: RelationshipDescription, from source: String, to names: inout ColumnNames
  ) {
    var columns = KeyColumns(
      key: names.add("Z\(number(source))" + relationship.name.uppercased(), .integer).name)
    if relationship.isOrdered {
      columns.orderColumn =
        names.add("Z_FOK_" + columns.key.name.dropFirst(), .order, group: ColumnType.integer.group).name
    }
    keyColumns[PropertyKey(entity: source, property: relationship.name)] = columns
  }

  /// To-many relationships without inverse by destination entity, sorted by name.
  private func relationshipsWithoutInverse() throws -> [String: [(source: String, RelationshipDescription)]] {
    var result: [String: [(source: String, RelationshipDescription)]] = [:]
    for source in order {
      for case .relationship(let relationship) in ownProperties[source] ?? []
      where relationship.isToMany && relationship.inverseName == nil {
        try checkDestination(relationship, of: source)
        result[relationship.destinationEntityName, default: []].append((source, relationship))
      }
    }
    return result.mapValues { $0.sorted { codeUnitOrder($0.1.name, $1.1.name) } }
  }
}

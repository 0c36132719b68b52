import ErrorReporting
import ManagedModel
package import SQLite

/// An index that follows from a model (CD-4).
package struct IndexLayout: Sendable, Hashable {
  package let kind: Kind
  package let name: Identifier
  package let table: Identifier
  /// The indexed columns in SQL.
  package let elements: [String]
  /// A partial index's condition.
  package var condition: String?
  /// The names or paths that the model's fetch index or uniqueness constraint has; empty for other kinds.
  package var properties: [String] = []

  /// The kinds, in the order in which an entity's indexes are made.
  package enum Kind: Int, Sendable, Hashable {
    case key, join, entity, fetch, unique
  }

  package var definition: String {
    "CREATE \(kind == .unique ? "UNIQUE " : "")INDEX \(name) ON \(table) (\(elements.joined(separator: ", ")))"
      + (condition.map { " WHERE \($0)" } ?? "")
  }
}

extension StoreLayout {
  /// CD-4: the indexes of an entity in order of creation. A root has the indexes of all keys of its table.
  ///
  /// Excludes location indexes, which are tables with triggers.
  /// - Throws: ``LayoutError``
  package func indexes(of entity: EntityLayout) throws -> [IndexLayout] {
    var result: [IndexLayout] = []
    let isRoot = entity.number == entity.rootNumber
    if isRoot, let table = table(entity.table) {
      let keys = keyColumns[table.name] ?? []
      result += table.columns.filter { keys.contains($0.name) }.map {
        IndexLayout(
          kind: .key, name: Identifier("\(table.name.name)_\($0.name.name)_INDEX"), table: table.name,
          elements: ["\($0.name)"])
      }
    }
    result += joinTables.filter { $0.master.entityName == entity.name }.map(\.index)
    if isRoot, entity.hasSubentities {
      result.append(
        IndexLayout(
          kind: .entity, name: Identifier("\(entity.table.name)_Z_ENT_INDEX"), table: entity.table,
          elements: ["Z_ENT"]))
    }
    result += try entity.description.distinctFetchIndexes.compactMap { try fetchIndex($0, of: entity) }
    // SwiftData can declare a constraint in two ways, so a model may repeat one.
    var seen: Set<[String]> = [[]]
    result += try entity.description.uniquenessConstraints.filter { seen.insert($0).inserted }.map { names in
      let columns = try names.map { name -> Identifier in
        guard let column = entity.column(ofPath: name) else {
          throw LayoutError.missingConstraintProperty(
            entity: entity.name, property: name, nearest: entity.nearestPath(to: name))
        }
        return column
      }
      return IndexLayout(
        kind: .unique, name: Identifier("Z_\(entity.name)_UNIQUE_\(names.joined(separator: "_"))"),
        table: entity.table, elements: columns.map { "\($0) COLLATE BINARY ASC" }, properties: names)
    }
    return result
  }

  /// `nil` for an index of a single relationship, whose key has an index already, and for a location index.
  private func fetchIndex(_ index: FetchIndexDescription, of entity: EntityLayout) throws -> IndexLayout? {
    guard !index.elements.isEmpty, !index.isLocationIndex else { return nil }
    if index.elements.count == 1, case .property(let name) = index.elements[0].subject {
      switch entity.property(named: name) {
      case .toOne?, .toMany?: return nil
      case .attribute?, nil: break
      }
    }
    let elements = try index.elements.map { element in
      let column = try self.column(of: element.subject, index: index, entity: entity)
      return "\(column) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")"
    }
    let condition = try index.partialIndexPredicate.map { format in
      guard let sql = PartialIndexPredicate.sql(format, column: { entity.column(ofPath: $0) }) else {
        throw LayoutError.unsupportedIndexPredicate(entity: entity.name, index: index.name, predicate: format)
      }
      return sql
    }
    return IndexLayout(
      kind: .fetch, name: Identifier("Z_\(entity.name)_\(index.name)"), table: entity.table, elements: elements,
      condition: condition, properties: index.elements.map(\.name))
  }

  func column(
    of subject: FetchIndexDescription.Subject, index: FetchIndexDescription, entity: EntityLayout
  ) throws -> Identifier {
    switch subject {
    case .property(let name):
      guard let column = entity.column(ofPath: name) else {
        throw LayoutError.missingIndexProperty(
          entity: entity.name, index: index.name, property: name,
          nearest: entity.nearestPath(to: name))
      }
      return column
    case .expression(let expression):
      switch expression.lowercased() {
      case "self": return "Z_PK"
      case "entity", "self.entity": return "Z_ENT"
      default:
        if let column = entity.column(ofPath: expression) { return column }
        throw LayoutError.unsupportedIndexExpression(
          entity: entity.name, index: index.name, expression: expression)
      }
    }
  }
}

extension FetchIndexDescription.Element {
  /// The property or the expression.
  fileprivate var name: String {
    switch subject {
    case .property(let name), .expression(let name): name
    }
  }
}

extension FetchIndexDescription {
  var isLocationIndex: Bool { elements.contains { $0.kind == .rTree } }
}

extension EntityLayout {
  /// What a path without a column may stand for: an element of the composite that it names, or the nearest name.
  fileprivate func nearestPath(to path: String) -> String? {
    guard case .attribute(let attribute)? = property(named: path) else {
      return nearestName(to: path, in: properties.map(\.name))
    }
    return attribute.columns.first?.path.joined(separator: ".")
  }

  /// The column of an attribute, of an element of a composite (`author.id`), or of a to-one relationship's key; `nil` for a composite
  /// of several columns.
  package func column(ofPath path: String) -> Identifier? {
    switch property(named: path) {
    case .attribute(let attribute)?: return attribute.singleColumn?.name
    case .toOne(let relationship)?: return relationship.key
    case .toMany?: return nil
    case nil:
      let names = path.split(separator: ".").map(String.init)
      guard names.count > 1, case .attribute(let attribute)? = property(named: names[0]) else { return nil }
      return attribute.column(at: names)?.name
    }
  }
}

package import CoreDataStore
import ErrorReporting
package import StoreRequests

/// The objects to read as plain values, their order and their properties.
package struct ObjectRequest: Sendable {
  /// The entity of the objects. Includes its subentities.
  package var entityName: String
  /// Whether objects of subentities are excluded.
  package var isExact = false
  package var predicate: FetchExpression?
  /// Objects are sorted by key if it is empty.
  package var sortTerms: [SortTerm]
  package var limit: Int?
  /// The properties to read; `nil` for all.
  package var properties: Set<String>?

  package init(
    entityName: String, predicate: FetchExpression? = nil, sortTerms: [SortTerm] = [], limit: Int? = nil,
    properties: Set<String>? = nil
  ) {
    self.entityName = entityName
    self.predicate = predicate
    self.sortTerms = sortTerms
    self.limit = limit
    self.properties = properties
  }

  /// Requests objects of exactly this entity.
  package init(exactly entityName: String) {
    self.init(entityName: entityName)
    isExact = true
  }
}

extension ObjectRequest {
  /// Makes a request from text that a person typed.
  ///
  /// - Parameters:
  ///   - filter: a predicate in `NSPredicate`'s format. Dates, UUIDs and bytes may be written as texts.
  ///   - sortKeys: attributes, or paths such as `author.name`; a trailing `:desc` reverses the order, `:asc` is the default.
  /// - Throws: ``FormatError``, ``QueryError`` and ``SortOrderError``, which name the mistake and suggest the nearest name.
  package init(
    entityName: String, filter: String?, sortKeys: [String], limit: Int?, properties: Set<String>?,
    in store: PersistentStore
  ) throws {
    let entities = store.storedEntities
    let entity = try entities.existingEntity(entityName)
    self.init(
      entityName: entityName,
      predicate: try filter.map {
        try FetchExpression(format: $0, of: entityName, in: store.entities, convertsTexts: true)
      },
      sortTerms: try sortKeys.map { try SortTerm(text: $0, of: entity, in: entities) }, limit: limit,
      properties: properties)
  }

  /// Leaves out entities whose superentity is also requested, so that no object is read twice.
  package static func entities(_ names: [String], in store: PersistentStore) throws -> [String] {
    let entities = try names.map { try store.entities.existingEntity($0) }
    var seen: Set<String> = []
    return entities.filter { entity in
      let isCovered = entities.contains { $0.name != entity.name && entity.lineage.contains($0.name) }
      return !isCovered && seen.insert(entity.name).inserted
    }.map(\.name)
  }
}

extension SortTerm {
  fileprivate init(text: String, of entity: StoreEntity, in entities: EntityTable) throws {
    var (key, isDescending) = (text, false)
    if let colon = text.lastIndex(of: ":") {
      let order = String(text[text.index(after: colon)...])
      switch order.lowercased() {
      case "asc", "ascending": break
      case "desc", "descending": isDescending = true
      default: throw SortOrderError(key: text, order: order)
      }
      key = String(text[..<colon])
    }
    let names = key.split(separator: ".").map(String.init)
    var path: [String] = []
    var last = entity
    for (index, name) in names.enumerated() {
      if case .toOne(let relationship)? = last.property(named: name), index < names.count - 1 {
        path.append(name)
        last = try entities.existingEntity(relationship.destinationName)
        continue
      }
      let element = Array(names[(index + 1)...])
      _ = try entities.leaf(of: name, element: element, in: last)
      self.init(
        expression: .attribute(FetchPath(relationships: path), name: name, element: element),
        isAscending: !isDescending)
      return
    }
    _ = try entities.property(key, of: entity)
    self.init(expression: .object(FetchPath()))
  }
}

/// A sort key ends with an order that does not exist.
package struct SortOrderError: ReportableError, Sendable, Hashable {
  package let key: String
  package let order: String

  package var problem: String { "the sort key \(quoted(key)) ends with the unknown order \(quoted(order))" }
  package var remedy: String? { "write name, name:asc or name:desc" }
}

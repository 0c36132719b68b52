import ErrorReporting
package import ManagedModel

/// The entities of an open store: their numbers, kinds and properties, without the names of tables and columns.
///
/// The framework binds its classes to it, and predicates are checked against it. Each engine has one per store.
package struct EntityTable: Sendable {
  /// In the order of their numbers.
  package let entities: [StoreEntity]
  /// The number of hierarchies; each has its own keys.
  package let hierarchyCount: Int
  private let graph: EntityGraph
  private let byName: [String: StoreEntity]
  private let byNumber: [Int32: StoreEntity]

  /// - Parameters:
  ///   - graph: a valid model.
  ///   - numbers: the number of each entity of the store by name; greater than 0.
  package init(_ graph: EntityGraph, numbers: [String: Int32]) {
    self.init(graph, numbers: numbers) { name in
      graph.properties(of: name).compactMap { StoreProperty($0, of: name, graph, numbers) }
    }
  }

  /// A table for an engine whose rules for properties are stricter than the model.
  ///
  /// - Parameter properties: the stored properties of the entity with a name, inherited properties first.
  package init(_ graph: EntityGraph, numbers: [String: Int32], properties: (String) -> [StoreProperty]) {
    let names = numbers.sorted { $0.value < $1.value }.map(\.key)
    let roots = names.filter { graph.root(of: $0)?.name == $0 }
    let hierarchies = Dictionary(uniqueKeysWithValues: roots.enumerated().map { ($0.element, $0.offset) })
    var kinds: [String: [Int32]] = [:]
    for name in names {
      for ancestor in graph.lineage(of: name) { kinds[ancestor.name, default: []].append(numbers[name] ?? 0) }
    }
    entities = names.compactMap { name in
      graph.entity(name).map { description in
        let lineage = graph.lineage(of: name).map(\.name)
        return StoreEntity(
          description: description, number: numbers[name] ?? 0,
          hierarchy: lineage.first.flatMap { hierarchies[$0] } ?? 0,
          lineage: lineage, kindNumbers: kinds[name] ?? [], properties: properties(name))
      }
    }
    hierarchyCount = roots.count
    self.graph = graph
    byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    byNumber = Dictionary(entities.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
  }

  package func entity(named name: String) -> StoreEntity? { byName[name] }

  package func entity(numbered number: Int32) -> StoreEntity? { byNumber[number] }

  /// Whether an entity is another entity or inherits from it.
  package func isKind(_ number: Int32, of ancestor: Int32) -> Bool {
    number == ancestor || byNumber[ancestor]?.kindNumbers.contains(number) == true
  }

  /// The entity that declares a property first: the entity itself or a superentity.
  package func declaringEntityName(of property: String, in entity: StoreEntity) -> String {
    graph.declaringEntity(of: property, in: entity.name)?.name ?? entity.name
  }

  /// The uniqueness constraints of an entity and its superentities, the root's first.
  package func uniquenessConstraints(of entity: StoreEntity) -> [[String]] {
    entity.lineage.flatMap { byName[$0]?.description.uniquenessConstraints ?? [] }
  }

  /// The properties of an entity that are unique, alone or together with others. A composite is unique if one of its elements is.
  package func uniqueProperties(of entity: StoreEntity) -> Set<String> {
    Set(uniquenessConstraints(of: entity).joined().propertyNames)
  }

  /// Whether the model has the property, and no store has a place for it: a transient or fetched property.
  package func isUnstored(_ name: String, of entity: StoreEntity) -> Bool {
    entity.property(named: name) == nil && graph.properties(of: entity.name).contains { $0.name == name }
  }
}

// Look-ups that throw an error with the nearest name.
extension EntityTable {
  /// - Throws: ``QueryError/unknownEntity(name:nearest:)``
  package func existingEntity(_ name: String) throws -> StoreEntity {
    guard let entity = entity(named: name) else {
      throw QueryError.unknownEntity(name: name, nearest: nearestName(to: name, in: entities.map(\.name)))
    }
    return entity
  }

  /// - Throws: ``QueryError/unknownEntityNumber(_:)``
  package func existingEntity(_ number: Int32) throws -> StoreEntity {
    guard let entity = entity(numbered: number) else { throw QueryError.unknownEntityNumber(number) }
    return entity
  }

  /// - Throws: ``QueryError/unknownProperty(name:entity:nearest:)``
  package func property(_ name: String, of entity: StoreEntity) throws -> StoreProperty {
    guard let property = entity.property(named: name) else {
      throw QueryError.unknownProperty(
        name: name, entity: entity.name, nearest: nearestName(to: name, in: entity.properties.map(\.name)))
    }
    return property
  }
}

extension EntityTable {
  /// The only leaf of an attribute, or of a composite's element at a path of names.
  ///
  /// - Throws: ``QueryError/unknownProperty(name:entity:nearest:)``, ``QueryError/wrongKind(property:entity:expected:)``
  package func leaf(of name: String, element: [String] = [], in entity: StoreEntity) throws -> StoreAttribute.Leaf {
    guard case .attribute(let attribute) = try property(name, of: entity) else {
      throw QueryError.wrongKind(property: name, entity: entity.name, expected: .attribute)
    }
    return try attribute.leaf(element, of: entity)
  }
}

/// An entity of an open store.
package final class StoreEntity: Sendable {
  package var name: String { description.name }
  /// The number that rows and object keys have; in Core Data's layout `Z_ENT` (CD-1.2).
  package let number: Int32
  package let description: EntityDescription
  /// The place of the entity's hierarchy among all hierarchies of the store. Objects of one hierarchy share one range of keys.
  package let hierarchy: Int
  /// Names from the root down to the entity itself.
  package let lineage: [String]
  /// Numbers of the entity and of all entities below it, ascending.
  package let kindNumbers: [Int32]
  /// All stored properties, inherited properties first.
  package let properties: [StoreProperty]
  private let indexByName: [String: Int]

  init(
    description: EntityDescription, number: Int32, hierarchy: Int, lineage: [String], kindNumbers: [Int32],
    properties: [StoreProperty]
  ) {
    self.description = description
    self.number = number
    self.hierarchy = hierarchy
    self.lineage = lineage
    self.kindNumbers = kindNumbers
    self.properties = properties
    indexByName = Dictionary(
      properties.indices.map { (properties[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The stored property of this name, inherited properties included.
  package func property(named name: String) -> StoreProperty? { indexByName[name].map { properties[$0] } }
}

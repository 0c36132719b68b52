import ErrorReporting
import ManagedModel
import SQLite

/// Computes a ``StoreLayout`` step by step: entity numbers, columns, join tables.
struct LayoutBuilder {
  let model: ModelDescription
  let graph: EntityGraph
  let entityNames: Set<String>?
  /// The `Z_ENT` of each `Z_NAME` in the store; empty for a new store.
  let storedNumbers: [String: Int]
  let catalogue: Catalogue?

  /// The entity names in the order of their numbers.
  var order: [String] = []
  var numbers: [String: Int] = [:]
  var rootNames: [String: String] = [:]
  /// The stored properties that an entity declares first in its line, sorted by name, with their latest descriptions.
  var ownProperties: [String: [PropertyDescription]] = [:]
  /// All properties by name, including inherited and transient ones.
  var properties: [String: [String: PropertyDescription]] = [:]
  /// The entity that declares a property first, by entity and property.
  var declaringEntities: [String: [String: String]] = [:]

  var tables: [TableLayout] = []
  var attributeColumns: [PropertyKey: [AttributeColumn]] = [:]
  var keyColumns: [PropertyKey: KeyColumns] = [:]
  var joinTables: [JoinTableLayout] = []
  var joinSides: [PropertyKey: ToManyLayout.JoinSide] = [:]

  /// A property, identified by the entity that declares it first.
  struct PropertyKey: Hashable {
    let entity: String
    let property: String
  }

  /// The columns of a to-one relationship, or of a to-many relationship without inverse.
  struct KeyColumns {
    let key: Identifier
    var entityColumn: Identifier?
    var orderColumn: Identifier?
  }

  init(
    model: ModelDescription, entityNames: Set<String>? = nil, numbers: [String: Int] = [:], catalogue: Catalogue? = nil
  ) {
    self.model = model
    self.entityNames = entityNames
    self.storedNumbers = numbers
    self.catalogue = catalogue
    graph = EntityGraph(model)
  }

  mutating func build() throws {
    try numberEntities()
    try collectProperties()
    try layOutTables()
    try layOutJoinTables()
    try checkTableNames()
  }

  /// CD-1.2: depth-first through the inheritance tree, each level in case-insensitive order of names.
  private mutating func numberEntities() throws {
    var names: Set<String> = []
    for entity in model.entities {
      guard names.insert(entity.name).inserted else { throw LayoutError.duplicateEntity(entity.name) }
      guard !entity.name.utf8.contains(0) else {
        throw LayoutError.nulInName(entity: entity.name)
      }
    }
    for entity in model.entities {
      if let superentity = entity.superentityName, !names.contains(superentity) {
        throw LayoutError.missingSuperentity(
          entity: entity.name, superentity: superentity, nearest: nearestName(to: superentity, in: names))
      }
    }
    var pending = LayoutBuilder.inNumberOrder(model.entities.filter { $0.superentityName == nil }.map(\.name))
    pending.reverse()
    var depths: [String: Int] = [:]
    while let name = pending.popLast() {
      order.append(name)
      let parent = graph.entity(name)?.superentityName
      let depth = (parent.flatMap { depths[$0] } ?? 0) + 1
      guard depth <= ModelDescription.maximumInheritanceDepth else {
        throw LayoutError.inheritanceTooDeep(entity: name)
      }
      depths[name] = depth
      rootNames[name] = parent.flatMap { rootNames[$0] } ?? name
      pending += LayoutBuilder.inNumberOrder(graph.subentities(of: name)).reversed()
    }
    if let stranded = model.entities.first(where: { rootNames[$0.name] == nil }) {
      throw LayoutError.cyclicInheritance(entity: stranded.name)
    }
    if let entityNames { order.removeAll { !entityNames.contains($0) } }
    guard !order.isEmpty || model.entities.isEmpty else { throw LayoutError.noEntities }
    var owners: [Int: String] = [:]
    for (position, name) in order.enumerated() {
      let number = storedNumbers[name] ?? position + 1
      guard (1..<HistoryTables.changeNumber).contains(number) else {
        throw LayoutError.unusableNumber(entity: name, number: number)
      }
      if let other = owners.updateValue(name, forKey: number) {
        throw LayoutError.sharedNumber(entity: name, other: other, number: number)
      }
      numbers[name] = number
    }
  }

  private static func inNumberOrder(_ names: [String]) -> [String] {
    let keyed = names.map { (name: $0, key: $0.lowercased()) }
    return keyed.sorted {
      $0.key == $1.key ? codeUnitOrder($0.name, $1.name) : codeUnitOrder($0.key, $1.key)
    }.map(\.name)
  }

  private mutating func collectProperties() throws {
    for name in order {
      guard let entity = graph.entity(name) else { continue }
      var all = entity.superentityName.flatMap { properties[$0] } ?? [:]
      var declaring = entity.superentityName.flatMap { declaringEntities[$0] } ?? [:]
      var seen: Set<String> = []
      var own: [PropertyDescription] = []
      for property in entity.properties {
        guard seen.insert(property.name).inserted else {
          throw LayoutError.duplicateProperty(entity: name, property: property.name)
        }
        guard !property.name.utf8.contains(0) else {
          throw LayoutError.nulInName(of: "property \(quoted(property.name))", entity: name)
        }
        if declaring[property.name] == nil {
          declaring[property.name] = name
          if LayoutBuilder.isStored(property) { own.append(property) }
        }
        all[property.name] = property
      }
      if let index = entity.fetchIndexes.first(where: { $0.name.utf8.contains(0) }) {
        throw LayoutError.nulInName(of: "fetch index \(quoted(index.name))", entity: name)
      }
      properties[name] = all
      declaringEntities[name] = declaring
      ownProperties[name] = own.sorted { codeUnitOrder($0.name, $1.name) }
    }
  }

  static func isStored(_ property: PropertyDescription) -> Bool {
    if case .fetchedProperty = property { return false }
    return !property.isTransient
  }

  func hasSubentities(_ name: String) -> Bool { !graph.subentities(of: name).isEmpty }

  func number(_ name: String) -> Int { numbers[name] ?? 0 }

  func tableName(_ entity: String) -> Identifier { Identifier("Z" + (rootNames[entity] ?? entity).uppercased()) }

  /// Requires that the destination of a relationship is in this store.
  func checkDestination(_ relationship: RelationshipDescription, of entity: String) throws {
    guard numbers[relationship.destinationEntityName] != nil else {
      throw LayoutError.missingDestination(
        entity: entity, relationship: relationship.name, destination: relationship.destinationEntityName,
        nearest: nearestName(to: relationship.destinationEntityName, in: order))
    }
  }

  /// The inverse that a save keeps in step with a relationship; `nil` if the model names none.
  ///
  /// Core Data accepts an inverse that names another relationship as its own inverse. A to-many relationship is then
  /// stored in the key of its to-one inverse, as any other, and a save sets that key. A to-one relationship has a key of
  /// its own, and so no inverse here; a to-many relationship with a to-many inverse has a join table of its own.
  func inverse(of relationship: RelationshipDescription, declaredBy entity: String) throws -> InverseLayout? {
    guard let name = relationship.inverseName else { return nil }
    let destination = relationship.destinationEntityName
    guard case .relationship(let inverse)? = properties[destination]?[name],
      let declaring = declaringEntities[destination]?[name]
    else {
      throw LayoutError.missingInverse(
        entity: entity, relationship: relationship.name, destination: destination, inverse: name,
        nearest: nearestName(to: name, in: (properties[destination] ?? [:]).keys.sorted()))
    }
    guard inverse.inverseName == relationship.name || (relationship.isToMany && !inverse.isToMany) else { return nil }
    return InverseLayout(entityName: declaring, description: inverse)
  }

  /// Refuses table names that two entities, or an entity and the store's own tables, would share.
  private func checkTableNames() throws {
    var users: [String: String] = [:]
    for table in ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"] {
      users[table] = "the store itself"
    }
    let entityTables = tables.map { table in
      (table.name.name, order.first { number($0) == table.rootNumber } ?? "")
    }
    for (table, entity) in entityTables + joinTables.map({ ($0.name.name, $0.master.entityName) }) {
      // SQLite compares names without regard to ASCII case.
      if let other = users.updateValue(quoted(entity), forKey: table.uppercased()) {
        throw LayoutError.tableNamesCollide(entity: entity, other: other, table: table)
      }
    }
  }
}

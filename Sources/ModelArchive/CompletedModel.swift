import ManagedModel

extension ModelArchive {
  /// The model with the facts that Core Data's compiler adds to a source. Derived attributes are read-only. Requests
  /// for identifiers fetch no values. Fetch indexes of plain attributes have their form of before 2017 as well.
  static func completed(_ model: ModelDescription) -> ModelDescription {
    var model = model
    let graph = EntityGraph(model)
    for index in model.entities.indices {
      let entity = model.entities[index]
      let inherited = entity.fetchIndexes.isEmpty ? [] : graph.lineage(of: entity.name).dropLast()
      model.entities[index].complete(inheriting: Set(inherited.flatMap { $0.attributes.map(\.name) }))
    }
    for index in model.fetchRequestTemplates.indices { model.fetchRequestTemplates[index].complete() }
    return model
  }
}

extension FetchRequestDescription {
  fileprivate mutating func complete() {
    if resultType == 1 { includesPropertyValues = false }
    // Results as dictionaries cannot include pending changes. Archives do not store the flag for them.
    if resultType == 2 { includesPendingChanges = true }
  }
}

extension EntityDescription {
  fileprivate mutating func complete(inheriting inherited: Set<String>) {
    let own = Set(attributes.map(\.name))
    let statesIndexes = !compoundIndexes.isEmpty || attributes.contains(where: \.isIndexed)
    let indexed = statesIndexes ? [] : fetchIndexes.compactMap(\.plainProperties)
    let flagged = Set(indexed.filter { $0.count == 1 }.joined())
    properties = properties.map { property in
      switch property {
      case .attribute(var attribute):
        if attribute.derivation != nil { attribute.isReadOnly = true }
        if flagged.contains(attribute.name) { attribute.isIndexed = true }
        return .attribute(attribute)
      case .fetchedProperty(var property):
        property.fetchRequest.complete()
        return .fetchedProperty(property)
      case .relationship: return property
      }
    }
    compoundIndexes += indexed.filter { names in
      names.count > 1 && names.allSatisfy { own.contains($0) || inherited.contains($0) }
    }
  }

  /// The class of every entity that names no class.
  static let baseClassName = "NSManagedObject"
}

extension ModelDescription {
  /// Sorts the contents of an archive's dictionaries and sets as Xcode does: by name, and in an entity attributes
  /// before relationships before fetched properties.
  mutating func arrange() {
    entities.sort { codeUnitOrder($0.name, $1.name) }
    for index in entities.indices {
      entities[index].properties.sort { left, right in
        left.rank == right.rank ? codeUnitOrder(left.name, right.name) : left.rank < right.rank
      }
    }
    configurations.sort { codeUnitOrder($0.name, $1.name) }
    for index in configurations.indices { configurations[index].entityNames.sort(by: codeUnitOrder) }
    fetchRequestTemplates.sort { codeUnitOrder($0.name, $1.name) }
    versionIdentifiers.sort(by: codeUnitOrder)
  }
}

extension PropertyDescription {
  fileprivate var rank: Int {
    switch self {
    case .attribute: 0
    case .relationship: 1
    case .fetchedProperty: 2
    }
  }
}

extension FetchIndexDescription {
  /// The properties of an index that could be declared before 2017: ascending, over all rows, without expressions.
  fileprivate var plainProperties: [String]? {
    if partialIndexPredicate != nil { return nil }
    var names: [String] = []
    for element in elements {
      guard case .property(let name) = element.subject, element.kind == .binary, element.isAscending else { return nil }
      names.append(name)
    }
    return names
  }
}

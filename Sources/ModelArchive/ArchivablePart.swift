package import ManagedModel

extension ModelArchive {
  /// The model as it comes back from an archive, predicates that cannot be archived aside.
  ///
  /// Archives have no key for code generation, scalar types, names of composite types and mirroring to CloudKit. Entities,
  /// properties and the like are dictionaries there: they come back in the order in which Xcode writes them. A renaming
  /// identifier that is the name itself, and the class `NSManagedObject`, are what Core Data takes where none is stated.
  /// What Core Data's compiler adds to a source is added: see ``completed(_:)``.
  package static func archivablePart(of model: ModelDescription) -> ModelDescription {
    var model = completed(model)
    model.arrange()
    model.composites = []
    model.usedWithCloudKit = false
    for index in model.configurations.indices { model.configurations[index].usedWithCloudKit = false }
    for index in model.entities.indices { model.entities[index].keepArchivablePart() }
    return model
  }

  /// The model with what Core Data's compiler adds to a source: derived attributes are read-only, requests for
  /// identifiers fetch no values, and fetch indexes of attributes stand in the form of before 2017 as well.
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
    // Results as dictionaries cannot include pending changes, and archives do not say whether they should.
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

  /// The class that every entity has that names none.
  static let baseClassName = "NSManagedObject"

  fileprivate mutating func keepArchivablePart() {
    if className == Self.baseClassName { className = nil }
    if renamingIdentifier == name { renamingIdentifier = nil }
    codeGeneration = .unspecified
    properties = properties.map { property in
      switch property {
      case .attribute(var attribute):
        attribute.keepArchivablePart()
        return .attribute(attribute)
      case .relationship(var relationship):
        if relationship.renamingIdentifier == relationship.name { relationship.renamingIdentifier = nil }
        return .relationship(relationship)
      case .fetchedProperty: return property
      }
    }
  }
}

extension AttributeDescription {
  fileprivate mutating func keepArchivablePart() {
    if renamingIdentifier == name { renamingIdentifier = nil }
    usesScalarValueType = false
    compositeName = nil
    for index in elements.indices { elements[index].keepArchivablePart() }
  }
}

extension ModelDescription {
  /// Orders what is a dictionary or a set in an archive as Xcode orders it: by name, and in an entity attributes first,
  /// then relationships, then fetched properties.
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
  /// The properties of an index that could be stated before 2017: ascending, of all rows, without expressions.
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

package import ManagedModel

extension ModelArchive {
  /// The model as it comes back from an archive, predicates that cannot be archived aside.
  ///
  /// Archives have no key for code generation, scalar types, names of composite types and mirroring to CloudKit. Entities,
  /// properties and the like are dictionaries there: they come back in the order in which Xcode writes them. A renaming
  /// identifier that is the name itself, and the class `NSManagedObject`, are what Core Data takes where none is stated.
  package static func archivablePart(of model: ModelDescription) -> ModelDescription {
    var model = model
    model.arrange()
    model.composites = []
    model.usedWithCloudKit = false
    for index in model.configurations.indices { model.configurations[index].usedWithCloudKit = false }
    for index in model.entities.indices { model.entities[index].keepArchivablePart() }
    return model
  }
}

extension EntityDescription {
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

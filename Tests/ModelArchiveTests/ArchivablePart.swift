import ManagedModel

@testable import ModelArchive

extension ModelArchive {
  /// The model as it comes back from an archive, predicates that cannot be archived aside.
  ///
  /// Archives have no key for code generation, scalar types, names of composite types and mirroring to CloudKit. Entities,
  /// properties and the like are dictionaries there: they come back in the order in which Xcode writes them. A renaming
  /// identifier that is the name itself, and the class `NSManagedObject`, are what Core Data takes where none is stated.
  /// What Core Data's compiler adds to a source is added: see ``completed(_:)``.
  static func archivablePart(of model: ModelDescription) -> ModelDescription {
    var model = completed(model)
    model.arrange()
    model.composites = []
    model.usedWithCloudKit = false
    for index in model.configurations.indices { model.configurations[index].usedWithCloudKit = false }
    for index in model.entities.indices { model.entities[index].keepArchivablePart() }
    return model
  }
}

extension EntityDescription {
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

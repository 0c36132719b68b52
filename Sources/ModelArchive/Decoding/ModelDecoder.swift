import ManagedModel
import PropertyLists

/// Translates the archived objects of a model into values.
struct ModelDecoder {
  /// How deep composites, predicates and user info may nest.
  static let maximumDepth = 64

  /// The entity and property being read, for messages.
  private var entityName: String?
  var propertyName: String?

  static func decode(_ archive: KeyedArchive) throws -> ModelDescription {
    var decoder = ModelDecoder()
    do {
      return try decoder.model(archive.rootObject())
    } catch let fault as ArchiveFault {
      let (entity, property) = (decoder.entityName, decoder.propertyName)
      throw fault.isUnknown
        ? ModelArchiveError.unknown(entity: entity, property: property, key: fault.key, problem: fault.problem)
        : ModelArchiveError.malformed(entity: entity, property: property, key: fault.key, problem: fault.problem)
    }
  }

  private mutating func model(_ root: ArchivedObject) throws -> ModelDescription {
    guard root.isKind(of: "NSManagedObjectModel") else {
      throw ModelArchiveError.notAKeyedArchive("its root is no NSManagedObjectModel")
    }
    guard try root.object("NSEntities") != nil else { throw ArchiveFault(key: "NSEntities", problem: "is missing") }
    var model = ModelDescription()
    var names: Set<String> = []
    for (_, value) in try root.entries("NSEntities") {
      let entity = try self.entity(value)
      guard names.insert(entity.name).inserted else {
        throw ArchiveFault(key: "NSEntities", problem: "has two entities of this name")
      }
      model.entities.append(entity)
    }
    entityName = nil
    propertyName = nil
    try removeInheritedProperties(from: &model)
    entityName = nil
    for (name, value) in try root.entries("NSConfigurations") {
      let entities = try value.elements(as: "NSConfigurations") ?? []
      model.configurations.append(
        ConfigurationDescription(
          name: name, entityNames: try entities.map { try $0.required("NSEntityName") }))
    }
    for (name, value) in try root.entries("NSFetchRequestTemplates") {
      model.fetchRequestTemplates.append(try fetchRequest(value, name: name, entityName: nil))
    }
    model.versionIdentifiers = try root.elements("NSVersionIdentifiers").compactMap(\.text)
    model.arrange()
    return model
  }

  private mutating func entity(_ object: ArchivedObject) throws -> EntityDescription {
    propertyName = nil
    let name = try object.required("NSEntityName")
    entityName = name
    var entity = EntityDescription(name: name)
    entity.className = try object.string("NSClassNameForEntity").flatMap {
      $0 == EntityDescription.baseClassName ? nil : $0
    }
    entity.isAbstract = try object.flag("NSIsAbstract")
    entity.superentityName = try object.object("NSSuperentity")?.required("NSEntityName")
    entity.renamingIdentifier = try renamingIdentifier(object, name: name)
    entity.versionHashModifier = try object.string("NSVersionHashModifier")
    entity.userInfo = try userInfo(object)
    entity.coreSpotlightDisplayName = try object.object("NSCoreSpotlightDisplayName").map {
      try $0.text ?? PredicateReader().expression($0).format
    }
    for (name, value) in try object.entries("NSProperties") {
      propertyName = name
      if let property = try property(value) { entity.properties.append(property) }
    }
    propertyName = nil
    entity.uniquenessConstraints = try nameLists(object, "NSUniqueTuples")
    entity.compoundIndexes = try nameLists(object, "NSCompoundIndexes")
    for index in try object.elements("NSFetchIndexDescriptions") {
      // A subentity repeats the indexes that it inherits.
      if let owner = try index.object("NSEntity"), try owner.required("NSEntityName") != name { continue }
      entity.fetchIndexes.append(try fetchIndex(index))
    }
    return entity
  }

  /// Lists of property names. An element is a name or a property.
  private func nameLists(_ object: ArchivedObject, _ key: String) throws -> [[String]] {
    try object.elements(key).map { list in
      guard let names = try list.elements(as: key) else {
        throw ArchiveFault(key: key, problem: "is not a list of lists")
      }
      return try names.map { try $0.text ?? $0.required("NSPropertyName") }
    }
  }

  private func fetchIndex(_ object: ArchivedObject) throws -> FetchIndexDescription {
    let elements = try object.elements("NSIndexElements").map { element in
      let kind = try element.integer("NSFetchIndexElementType") ?? 0
      guard let kind = FetchIndexDescription.Kind(rawValue: kind) else {
        throw ArchiveFault(key: "NSFetchIndexElementType", problem: "is an unknown kind of index")
      }
      let subject: FetchIndexDescription.Subject
      if let expression = try element.object("NSIndexedProperty")?.object("NSExpression") {
        subject = .expression(try PredicateReader().expression(expression).format)
      } else {
        subject = .property(try element.required("NSPropertyName"))
      }
      return FetchIndexDescription.Element(
        subject: subject, kind: kind,
        isAscending: try element.object("NSAscending") == nil || element.flag("NSAscending"))
    }
    return FetchIndexDescription(
      name: try object.required("NSIndexName"), elements: elements,
      partialIndexPredicate: try object.object("NSPartialIndexPredicate").map {
        try predicate($0).format
      })
  }

  /// Cached models repeat inherited properties as copies; `.mom` files use proxies (CD-1.4).
  ///
  /// Keeps a repeated property that differs from the inherited one, since the version hash includes it.
  private mutating func removeInheritedProperties(from model: inout ModelDescription) throws {
    let indexes = Dictionary(model.entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
    let declared = model.entities.map { entity in
      Dictionary(entity.properties.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    }
    for index in model.entities.indices {
      entityName = model.entities[index].name
      var inherited: [Int] = []
      var next = model.entities[index].superentityName
      while let name = next {
        guard let parent = indexes[name] else {
          throw ArchiveFault(key: "NSSuperentity", problem: "is not among the entities")
        }
        inherited.append(parent)
        guard inherited.count <= ModelDescription.maximumInheritanceDepth else {
          throw ArchiveFault(key: "NSSuperentity", problem: "goes up in a circle, or too far")
        }
        next = model.entities[parent].superentityName
      }
      if inherited.isEmpty { continue }
      model.entities[index].properties.removeAll { property in
        inherited.lazy.compactMap { declared[$0][property.name] }.first == property
      }
    }
  }
}

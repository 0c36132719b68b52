/// Makes the entities of model classes: adds superclasses and relationship destinations, and finds the inverses.
struct SchemaBuilder {
  private(set) var classes: [String: ModelClass] = [:]
  private(set) var entities: [String: Schema.Entity] = [:]
  private(set) var problems: [SchemaProblem] = []

  /// Adds classes, their superclasses and the destinations of their relationships.
  mutating func add(_ types: [any PersistentModel.Type]) {
    var queue = types
    while let type = queue.popLast() {
      let model = ModelClass.of(type)
      if let known = classes[model.entityName] {
        if known.type != model.type {
          problems.append(.sameEntity(model.entityName, String(reflecting: known.type), String(reflecting: model.type)))
        }
        continue
      }
      classes[model.entityName] = model
      problems += model.problems
      if let superclass = model.superclass { queue.append(superclass.type) }
      queue += model.ownProperties.compactMap { $0.relationshipType?.destination }
    }
  }

  /// Makes the entities, once all classes are known.
  mutating func finish() {
    for (name, model) in classes { entities[name] = makeEntity(model) }
    for (name, model) in classes {
      guard let parent = model.superclass?.entityName, let entity = entities[name] else { continue }
      entity.superentityName = parent
      entity.superentity = entities[parent]
      entities[parent]?.subentities.insert(entity)
    }
    var inverses = InverseResolver(classes: classes)
    inverses.resolve()
    problems += inverses.problems
    for (owner, inverse) in inverses.pairs {
      let relationship =
        entities[owner.entity]?.storedProperties.first { $0.name == owner.name } as? Schema.Relationship
      relationship?.inverseName = inverse.property.persistentName
      relationship?.inverseKeyPath = relationship?.inverseKeyPath ?? inverse.property.keyPath
    }
  }

  private mutating func makeEntity(_ model: ModelClass) -> Schema.Entity {
    let entity = Schema.Entity(model.entityName, properties: model.ownProperties.map { property(of: $0) })
    entity.isAbstract = model.options.isAbstract
    entity.hashModifier = model.options.hashModifier
    entity.originalName = model.options.originalName
    entity.userInfo = model.options.userInfo
    entity.className = model.options.className
    entity.spotlightDisplayName = model.options.spotlightDisplayName
    entity.fetchedProperties = model.ownFetchedProperties.map(\.property)
    entity.uniquenessConstraints = entity.storedProperties.filter(\.isUnique).map { [$0.name] }
    for constraint in model.ownConstraints {
      do {
        if let unique = constraint as? any UniquenessConstraint { entity.uniquenessConstraints += try unique.names() }
        guard let index = constraint as? any IndexDeclaration else { continue }
        let declared = try index.declarations()
        for element in declared.flatMap(\.elements) where !element.isExpression {
          guard let problem = model.problem(ofIndexed: element.subject) else { continue }
          problems.append(.constraint(entity: entity.name, problem))
        }
        entity.declaredIndexes += declared
      } catch {
        problems.append(.constraint(entity: entity.name, String(describing: error)))
      }
    }
    return entity
  }

  private func property(of property: ModelClass.Property) -> any SchemaProperty {
    if let type = property.relationshipType {
      let annotation = property.relationship
      var options = annotation?.options ?? []
      // Programs write `@Attribute(.ephemeral)` of a relationship, too.
      if property.isTransient, !options.contains(.transient) { options.append(.transient) }
      return Schema.Relationship(
        name: property.persistentName, originalName: property.originalName, options: options,
        valueType: property.valueType, destination: ModelClass.of(type.destination).entityName,
        deleteRule: annotation?.deleteRule ?? .nullify, minimumModelCount: annotation?.minimumModelCount,
        maximumModelCount: annotation?.maximumModelCount, keypath: property.keyPath,
        inverseKeyPath: annotation?.inverseKeyPath, hashModifier: annotation?.hashModifier)
    }
    let annotation = property.attribute
    let options = annotation?.options ?? []
    let layout = AttributeLayout.of(property.valueType)
    guard let leaves = layout.leaves(named: property.persistentName), !options.contains(where: \.isOpaque) else {
      return Schema.Attribute(
        name: property.persistentName, originalName: property.originalName, options: options,
        valueType: property.valueType, defaultValue: property.defaultValue(), hashModifier: annotation?.hashModifier)
    }
    let composite = Schema.CompositeAttribute(
      name: property.persistentName, originalName: property.originalName, options: options,
      valueType: property.valueType, defaultValue: property.defaultValue(), hashModifier: annotation?.hashModifier)
    composite.properties = leaves.map { Schema.Attribute(name: $0.name, valueType: $0.type) }
    return composite
  }
}

/// A problem of a schema's classes; thrown with its message when a container is made.
enum SchemaProblem: Hashable, Sendable {
  case unsupportedType(class: String, property: String, type: String, reason: String)
  case sameEntity(String, String, String)
  case ambiguousInverse(class: String, property: String, candidates: [String])
  case wrongInverse(class: String, property: String, reason: String)
  case constraint(entity: String, String)
  case duplicateName(class: String, name: String)
  case notARelationship(class: String, property: String, type: String)
  case wrongCount(class: String, property: String)
  case singleMember(class: String, property: String)
  case wrongRule(class: String, property: String, reason: String)
  case noDefault(class: String, property: String, type: String)

  var message: String {
    switch self {
    case .unsupportedType(let name, let property, let type, let reason):
      "\(name).\(property): a value of type \(type) cannot be stored: \(reason)"
    case .sameEntity(let entity, let first, let second):
      "Both \(first) and \(second) are the entity '\(entity)': rename one, or give it @Model(entityName:)."
    case .ambiguousInverse(let name, let property, let candidates):
      "\(name).\(property): its inverse could be \(candidates.joined(separator: " or ")): "
        + "say which with @Relationship(inverse:), on one side only."
    case .wrongInverse(let name, let property, let reason): "\(name).\(property): its inverse \(reason)"
    case .constraint(let entity, let reason): "\(entity): #Unique or #Index: \(reason)"
    case .duplicateName(let name, let property):
      "\(name): two of its properties are stored as '\(property)': change one, or its @Attribute(name:)."
    case .notARelationship(let name, let property, let type):
      "\(name).\(property): @Relationship stands on a property of type \(type), which leads to no model: "
        + "write a model class, an optional of it, or an array of it."
    case .wrongRule(let name, let property, let reason): "\(name).\(property): \(reason)."
    case .noDefault(let name, let property, let type):
      "\(name).\(property): no value of type \(type) can be made where a row has none, such as a row that another program wrote: "
        + "give the property a default value, or make it optional."
    case .wrongCount(let name, let property):
      "\(name).\(property): its smallest count must not be negative, nor the largest below it."
    case .singleMember(let name, let property):
      "\(name).\(property): an array cannot have a largest count of 1, which makes a relationship to-one in Core Data's models: "
        + "write an optional of the class instead of the array, or another maximumModelCount."
    }
  }
}

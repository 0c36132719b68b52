import ErrorReporting

/// Collects a model's issues; one pass per kind of declaration.
struct ModelValidator {
  let model: ModelDescription
  let graph: EntityGraph
  private(set) var issues: [ModelIssue] = []
  /// Each entity's own properties by name; for a repeated name, the last.
  let ownProperties: [String: [String: PropertyDescription]]
  private let entityNames: [String]
  /// The number of further suggestions. A search for near names is the only costly step, so only the first 50 wrong
  /// names get a suggestion.
  private var suggestionsLeft = 50

  init(_ model: ModelDescription) {
    self.model = model
    graph = EntityGraph(model)
    entityNames = model.entities.map(\.name)
    ownProperties = Dictionary(
      model.entities.map { entity in
        (entity.name, Dictionary(entity.properties.map { ($0.name, $0) }, uniquingKeysWith: { $1 }))
      },
      uniquingKeysWith: { first, _ in first })
  }

  mutating func validateAll() {
    validateNames(entityNames, of: .entity, in: nil)
    validateTables()
    let isInheritanceSound = validateInheritance()
    if isInheritanceSound, graph.hasMoreProperties(than: ModelDescription.maximumPropertyCount) {
      report(.tooManyProperties)
    }
    for entity in model.entities {
      validateNames(entity.properties.map(\.name), of: .property, in: entity.name)
      validateNames(entity.distinctFetchIndexes.map(\.name), of: .fetchIndex, in: entity.name)
      for index in entity.repeatedFetchIndexes { report(.repeatedFetchIndex(index.name), entity: entity.name) }
      for attribute in entity.attributes { validate(attribute, of: entity) }
      // The next checks walk up the superentities.
      guard isInheritanceSound else { continue }
      for relationship in entity.relationships { validate(relationship, of: entity) }
      validateConstraints(of: entity)
      validateIndexes(of: entity)
    }
    validateOtherDeclarations()
  }

  mutating func report(_ kind: ModelIssue.Kind, entity: String? = nil, property: String? = nil) {
    guard issues.count < 1_000 else { return }
    issues.append(ModelIssue(entity: entity, property: property, kind: kind))
  }

  mutating func nearest(to name: String, in candidates: (Self) -> [String]) -> String? {
    guard suggestionsLeft > 0 else { return nil }
    suggestionsLeft -= 1
    return nearestName(to: name, in: candidates(self))
  }

  mutating func nearestEntity(to name: String) -> String? { nearest(to: name) { $0.entityNames } }

  /// Checks that every name is legal and that no two names are equal.
  mutating func validateNames(_ names: [String], of subject: ModelIssue.Subject, in entity: String?) {
    var seen: Set<String> = []
    var repeated: Set<String> = []
    for name in names {
      let location = subject == .entity ? name : entity
      if name.isEmpty {
        report(.illegalName(subject, name, .empty), entity: entity)
      } else if name.utf8.contains(0) {
        report(.illegalName(subject, name, .containsNUL), entity: location)
      }
      if !seen.insert(name).inserted, repeated.insert(name).inserted {
        report(.duplicateName(subject, name), entity: entity)
      }
    }
  }

  /// Finds root entities whose tables have one name (CD-2.1): container and store refuse them later.
  private mutating func validateTables() {
    var roots: [String: String] = [:]
    for entity in model.entities where entity.superentityName == nil {
      guard let other = roots.updateValue(entity.name, forKey: entity.name.uppercased()), other != entity.name else {
        continue
      }
      report(.sharedTable(with: other), entity: entity.name)
    }
  }

  private mutating func validateOtherDeclarations() {
    validateNames(model.composites.map(\.name), of: .composite, in: nil)
    for composite in model.composites {
      validateNames(composite.elements.map(\.name), of: .element, in: nil)
    }
    validateNames(model.configurations.map(\.name), of: .configuration, in: nil)
    for configuration in model.configurations {
      for name in configuration.entityNames where graph.entity(name) == nil {
        report(
          .unknownConfigurationEntity(configuration: configuration.name, name, nearest: nearestEntity(to: name)))
      }
    }
    validateNames(model.fetchRequestTemplates.map(\.name), of: .fetchRequest, in: nil)
    for request in model.fetchRequestTemplates { validate(request, entity: nil, property: nil) }
    for entity in model.entities {
      for property in entity.fetchedProperties {
        validate(property.fetchRequest, entity: entity.name, property: property.name)
      }
    }
  }

  private mutating func validate(_ request: FetchRequestDescription, entity: String?, property: String?) {
    guard graph.entity(request.entityName) == nil else { return }
    report(
      .unknownFetchEntity(
        request: request.name, request.entityName, nearest: nearestEntity(to: request.entityName)),
      entity: entity, property: property)
  }
}

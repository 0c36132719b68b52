import ErrorReporting
import Foundation
import ManagedModel
import PropertyLists

/// Translates a model into archived objects, with the classes and keys that Core Data's archives have (CD-1.4).
struct ModelEncoder {
  let model: ModelDescription
  let form: ModelArchive.Form
  let graph: EntityGraph
  /// Whether the model comes from SwiftData classes: it has a version, and a configuration with every entity.
  let isDeclaredInSource: Bool
  var builder = KeyedArchiveBuilder()
  private(set) var omissions: [String] = []
  /// Entities by name, and their properties by name, inherited ones included.
  private(set) var entities: [String: KeyedArchiveBuilder.Reference] = [:]
  private(set) var properties: [String: [String: KeyedArchiveBuilder.Reference]] = [:]
  /// Per entity and property, the entity whose description of the property is valid there.
  private var owners: [String: [String: String]] = [:]
  private var commonFields: [[String]: [(String, KeyedArchiveBuilder.Field)]] = [:]
  /// How many expressions are indexed so far; each gets a name of its own.
  var expressionCount = 0

  init(_ model: ModelDescription, as form: ModelArchive.Form) {
    self.model = ModelArchive.completed(model)
    self.form = form
    graph = EntityGraph(self.model)
    let names = Set(model.entities.map(\.name))
    isDeclaredInSource =
      form == .modelCache && model.versionIdentifiers.contains { $0.split(separator: ".").count == 3 }
      && model.configurations.contains { Set($0.entityNames) == names }
  }

  /// The properties in an entity's object. In a cache they include copies of inherited properties.
  private func archivedProperties(of entity: EntityDescription) -> [PropertyDescription] {
    form == .compiledModel ? entity.properties : graph.properties(of: entity.name)
  }

  mutating func encode() throws -> BinaryPropertyList {
    // Refuses a large model before memory is spent on it: a property takes more than a hundred bytes.
    let limit = BinaryPropertyList.Limits.byteCount / 100
    guard !graph.hasMoreProperties(than: limit, withInherited: form == .modelCache) else {
      throw ModelArchiveError.tooLarge(entityCount: model.entities.count)
    }
    let root = builder.reserve()
    let sorted = model.entities.sorted { codeUnitOrder($0.name, $1.name) }
    for entity in sorted {
      entities[entity.name] = builder.reserve()
      properties[entity.name] = Dictionary(
        archivedProperties(of: entity).map { ($0.name, builder.reserve()) }, uniquingKeysWith: { $1 })
    }
    for entity in sorted {
      for ancestor in graph.declaringLineage(of: entity.name) {
        for property in ancestor.properties { owners[entity.name, default: [:]][property.name] = ancestor.name }
      }
    }
    for entity in sorted { try encode(entity, model: root) }
    let templates = try fetchRequestTemplates()
    let configurations = configurations()
    let identifierSet = builder.list(
      .set, Set(model.versionIdentifiers).sorted(by: codeUnitOrder).map { builder.string($0) })
    let names = sorted.map(\.name)
    let entitiesByName =
      form == .compiledModel
      ? builder.dictionary(.mutableDictionary, names.map { ($0, reference(to: $0)) })
      : knownKeysDictionary(names)
    builder.fill(
      root, .model,
      [
        ("NSEntities", .reference(entitiesByName)), ("NSFetchRequestTemplates", .reference(templates)),
        ("NSVersionIdentifiers", .reference(identifierSet)),
      ] + (configurations.map { [("NSConfigurations", .reference($0))] } ?? []))
    return builder.finish(root: root)
  }

  mutating func omit(_ what: String, _ entity: String?, _ property: String?) {
    let place = [entity.map { "entity \(quoted($0)), " }, property.map { "property \(quoted($0)), " }]
    omissions.append(place.compactMap(\.self).joined() + what + " cannot be archived and is left out")
  }

  func reference(to entity: String?) -> KeyedArchiveBuilder.Reference {
    entity.flatMap { entities[$0] } ?? .null
  }

  /// The fields that a property and its inherited copies share: their objects are written once.
  mutating func fieldsInCommon(
    _ path: [String], of entity: String, _ make: (inout ModelEncoder) throws -> [(String, KeyedArchiveBuilder.Field)]
  ) rethrows -> [(String, KeyedArchiveBuilder.Field)] {
    let key = [owners[entity]?[path[0]] ?? entity] + path
    if let known = commonFields[key] { return known }
    let fields = try make(&self)
    commonFields[key] = fields
    return fields
  }

  /// A property of an entity, or of the nearest superentity that holds it.
  func property(_ name: String, of entity: String) -> KeyedArchiveBuilder.Reference? {
    if let own = properties[entity]?[name] { return own }
    return graph.declaringLineage(of: entity).reversed().lazy.compactMap { self.properties[$0.name]?[name] }.first
  }

  private mutating func encode(_ entity: EntityDescription, model root: KeyedArchiveBuilder.Reference) throws {
    guard let reference = entities[entity.name] else { return }
    var contents: [(String, KeyedArchiveBuilder.Reference)] = []
    for property in archivedProperties(of: entity).sorted(by: { codeUnitOrder($0.name, $1.name) }) {
      guard let reference = properties[entity.name]?[property.name] else { continue }
      if try encode(property, as: reference, of: entity.name) { contents.append((property.name, reference)) }
    }
    let propertiesByName = builder.dictionary(.mutableDictionary, contents)
    let subentities = graph.subentities(of: entity.name).sorted(by: codeUnitOrder).map { ($0, self.reference(to: $0)) }
    let className = entity.className.flatMap { $0 == EntityDescription.baseClassName ? nil : $0 }
    var fields: [(String, KeyedArchiveBuilder.Field)] = [
      ("NSEntityName", .reference(builder.string(entity.name))),
      ("NSClassNameForEntity", .reference(builder.string(className))),
      ("NSManagedObjectModel", .reference(root)),
      ("NSProperties", .reference(propertiesByName)),
      ("NSRenamingIdentifier", .reference(builder.string(entity.renamingIdentifier ?? entity.name))),
      ("NSSubentities", .reference(builder.dictionary(.mutableDictionary, subentities))),
      ("NSSuperentity", .reference(self.reference(to: entity.superentityName))),
      ("NSUserInfo", .reference(builder.userInfo(entity.userInfo))),
      ("NSVersionHashModifier", .reference(builder.string(entity.versionHashModifier))),
    ]
    if let format = entity.coreSpotlightDisplayName {
      if let expression = PredicateParser.expression(format).flatMap({ builder.expression($0) }) {
        fields.append(("NSCoreSpotlightDisplayName", .reference(expression)))
      } else {
        omit("the expression of the name in Spotlight, \(quoted(format)),", entity.name, nil)
      }
    }
    if entity.isAbstract { fields.append(("NSIsAbstract", .flag(true))) }
    if !entity.uniquenessConstraints.isEmpty || isDeclaredInSource {
      fields.append(("NSUniqueTuples", .reference(nameLists(entity.uniquenessConstraints))))
    }
    if !entity.fetchIndexes.isEmpty || !entity.compoundIndexes.isEmpty {
      fields.append(("NSCompoundIndexes", .reference(nameLists(entity.compoundIndexes))))
      let indexes = entity.fetchIndexes.compactMap { encode($0, of: entity.name) }
      fields.append(("NSFetchIndexDescriptions", .reference(builder.list(.mutableArray, indexes))))
    }
    builder.fill(reference, .entity, fields)
  }

  private mutating func nameLists(_ lists: [[String]]) -> KeyedArchiveBuilder.Reference {
    let references = lists.map { names in builder.list(.mutableArray, names.map { builder.string($0) }) }
    return builder.list(.mutableArray, references)
  }

  private mutating func configurations() -> KeyedArchiveBuilder.Reference? {
    if model.configurations.isEmpty { return nil }
    let sorted = model.configurations.sorted { codeUnitOrder($0.name, $1.name) }
    let sets = sorted.map { configuration in
      let members = configuration.entityNames.sorted(by: codeUnitOrder).compactMap { entities[$0] }
      return (configuration.name, builder.list(.set, members))
    }
    return builder.dictionary(.mutableDictionary, sets)
  }

  private mutating func fetchRequestTemplates() throws -> KeyedArchiveBuilder.Reference {
    var requests: [(String, KeyedArchiveBuilder.Reference)] = []
    for template in model.fetchRequestTemplates.sorted(by: { codeUnitOrder($0.name, $1.name) }) {
      if let request = encode(template) {
        requests.append((template.name, request))
      } else {
        omit("the predicate of fetch request template \(quoted(template.name))", nil, nil)
      }
    }
    return requests.isEmpty ? .null : builder.dictionary(.mutableDictionary, requests)
  }

  /// A dictionary as a list of keys and a list of values. The token would mark empty slots; this archive has no empty
  /// slot.
  private mutating func knownKeysDictionary(_ names: [String]) -> KeyedArchiveBuilder.Reference {
    let keys = builder.list(.array, names.map { builder.string($0) })
    let mapping = builder.add(
      .knownKeysMapping,
      [("keys", .reference(keys)), ("length", .integer(names.count)), ("version", .integer(1))])
    let token = builder.string("__empty_slot_token_4c24_98dc_ac1e_b773__")
    let values = builder.list(.array, names.map { reference(to: $0) })
    return builder.add(
      .knownKeysDictionary,
      [
        ("emptyToken", .reference(token)), ("searchMapping", .reference(mapping)), ("values", .reference(values)),
        ("version", .integer(1)),
      ])
  }
}

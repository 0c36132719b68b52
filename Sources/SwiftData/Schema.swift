public import Foundation

/// The entities of a store, made of model classes or of descriptions. Apple: `Schema`.
///
///     let schema = Schema([Book.self, Author.self])
///
/// A schema made of classes also has the entities of their superclasses and of every class that their relationships
/// reach. Problems of the classes are thrown when a container is made, not here. A schema does not change after a
/// container has it.
public final class Schema: Codable, @unchecked Sendable {
  /// The version of the coded form.
  public static let schemaEncodingVersion = Version(1, 1, 0)
  /// The version of the coded form from which this schema was read, or in which it is written.
  public let encodingVersion: Version
  /// The version of the models.
  public let version: Version
  /// The entities, sorted by name.
  public let entities: [Entity]
  /// The entities by name.
  public let entitiesByName: [String: Entity]
  /// The classes by entity name; empty for a schema made of descriptions.
  let classes: [String: ModelClass]
  /// Problems of the classes, thrown when a container is made.
  let problems: [SchemaProblem]

  /// Fetch request templates of the model. Not in Apple's framework.
  public let fetchRequests: [FetchRequest]
  /// Named sets of the model's entities. Not in Apple's framework.
  public let configurations: [Configuration]

  private init(
    entities: [Entity], version: Version, encodingVersion: Version = schemaEncodingVersion,
    classes: [String: ModelClass] = [:], problems: [SchemaProblem] = [], fetchRequests: [FetchRequest] = [],
    configurations: [Configuration] = []
  ) {
    self.fetchRequests = fetchRequests
    self.configurations = configurations
    self.entities = entities.sorted { $0.name < $1.name }
    self.entitiesByName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
    self.version = version
    self.encodingVersion = encodingVersion
    self.classes = classes
    self.problems = problems
  }

  /// A schema without entities.
  public convenience init() { self.init(entities: [], version: Version(1, 0, 0)) }

  /// A schema of described entities. Apple: `Schema.init(_:version:)`.
  public convenience init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
    self.init(entities: entities, version: version)
  }

  /// A schema of model classes, their superclasses and all classes that their relationships reach. Apple:
  /// `Schema.init(_:version:)`.
  public convenience init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
    self.init(types, version: version, fetchRequests: [], configurations: [])
  }

  private convenience init(
    _ types: [any PersistentModel.Type], version: Version, fetchRequests: [FetchRequest],
    configurations: [Configuration]
  ) {
    var builder = SchemaBuilder()
    builder.add(types)
    builder.finish()
    self.init(
      entities: Array(builder.entities.values), version: version, classes: builder.classes,
      problems: builder.problems, fetchRequests: fetchRequests, configurations: configurations)
  }

  /// A schema of model classes, their superclasses and all classes that their relationships reach. Apple:
  /// `Schema.init(_:version:)`.
  public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)) {
    self.init(types, version: version)
  }

  /// The schema of a version. Apple: `Schema.init(versionedSchema:)`.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(
      versionedSchema.models, version: versionedSchema.versionIdentifier, fetchRequests: versionedSchema.fetchRequests,
      configurations: versionedSchema.configurations)
  }

  /// The entity of a class. Apple: `Schema.entity(for:)`.
  public func entity<Model: PersistentModel>(for type: Model.Type) -> Entity? {
    entitiesByName[Schema.entityName(for: type)]
  }

  /// The name of a class's entity: the class's name, without the types that contain it. Apple: `Schema.entityName(for:)`.
  public static func entityName<Model: PersistentModel>(for type: Model.Type) -> String {
    ModelClass.of(type).entityName
  }

  // MARK: Coding

  private enum CodingKeys: String, CodingKey {
    case encodingVersion, version, entities, classes, fetchRequests, configurations
  }

  /// Reads a coded schema.
  ///
  /// A coded schema names its classes. If the program has all of them, and declares them as the coded schema says, the result
  /// is a schema of these classes, for containers with objects. Otherwise it describes entities only. Private classes are not
  /// found.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let entities = try container.decode([Entity].self, forKey: .entities)
    let byName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
    for entity in entities {
      guard let name = entity.superentityName else { continue }
      entity.superentity = byName[name]
      byName[name]?.subentities.insert(entity)
    }
    let version = try container.decode(Version.self, forKey: .version)
    let types = try container.decodeIfPresent([CodedType].self, forKey: .classes) ?? []
    // The program's own classes know more than a coded schema.
    let own = Schema(types.compactMap { $0.type as? any PersistentModel.Type }, version: version)
    let isOwn = own.classes.count == types.count && own.entities == entities.sorted { $0.name < $1.name }
    self.init(
      entities: isOwn ? own.entities : entities, version: version,
      encodingVersion: try container.decode(Version.self, forKey: .encodingVersion),
      classes: isOwn ? own.classes : [:], problems: isOwn ? own.problems : [],
      fetchRequests: try container.decodeIfPresent([FetchRequest].self, forKey: .fetchRequests) ?? [],
      configurations: try container.decodeIfPresent([Configuration].self, forKey: .configurations) ?? [])
  }

  /// Writes the entities and the names of the classes. Key paths, and default values that no single column holds, are not coded.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(encodingVersion, forKey: .encodingVersion)
    try container.encode(version, forKey: .version)
    try container.encode(entities, forKey: .entities)
    let names = classes.keys.sorted()
    try container.encode(names.compactMap { classes[$0].map { CodedType($0.type) } }, forKey: .classes)
    try container.encode(fetchRequests, forKey: .fetchRequests)
    try container.encode(configurations, forKey: .configurations)
  }

  /// Writes the coded schema to a file, atomically.
  ///
  /// - Throws: the error of encoding or writing; a file that was there is as it was.
  ///
  /// Apple: `Schema.save(to:)`.
  public func save(to url: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    try encoder.encode(self).write(to: url, options: .atomic)
  }

  /// Reads a coded schema from a file. Apple: `Schema.load(from:)`.
  ///
  /// - Throws: ``SwiftDataError/unsupportedSchema`` with the path, if the file has no coded schema; the error of reading the file.
  public static func load(from url: URL) throws -> Schema {
    let data = try Data(contentsOf: url)
    do { return try JSONDecoder().decode(Schema.self, from: data) } catch let error as DecodingError {
      throw SwiftDataError(
        .unsupportedSchema, "The file at \(url.path) has no schema that Schema.save(to:) has written: \(error)",
        underlyingError: error)
    }
  }
}

extension Schema: Hashable {
  /// Whether two schemas have the same version and equal entities.
  public static func == (left: Schema, right: Schema) -> Bool {
    left === right || (left.version == right.version && left.entities == right.entities)
  }

  /// Hashes the version and the entities' names.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(entities.map(\.name))
  }
}

extension Schema: CustomDebugStringConvertible {
  /// The version and the entities with their properties, a line each.
  public var debugDescription: String {
    (["Schema \(version)"] + entities.map { "  \($0.debugDescription)" }).joined(separator: "\n")
  }
}

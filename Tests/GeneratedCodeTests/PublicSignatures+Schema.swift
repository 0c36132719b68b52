extension PublicSignatures {
  /// Apple's declarations of schemas, their parts, and migrations.
  static let schema = """
    SchemaProperty:
      protocol SchemaProperty: Decodable, Encodable, Hashable
      var isAttribute: Bool { get }
      var isOptional: Bool { get }
      var isRelationship: Bool { get }
      var isTransient: Bool { get }
      var isUnique: Bool { get }
      var name: String { get set }
      var originalName: String { get set }
      var valueType: any Any.Type { get set }
    extension SchemaProperty:
      var isAttribute: Bool { get }
      var isOptional: Bool { get }
      var isRelationship: Bool { get }
      var isTransient: Bool { get }
    Schema:
      class Schema
      init()
      init(_: Schema.Entity..., version: Schema.Version = Version(1, 0, 0))
      init(_: [any PersistentModel.Type], version: Schema.Version = Version(1, 0, 0))
      init(_: any PersistentModel.Type..., version: Schema.Version = Version(1, 0, 0))
      init(from: any Decoder) throws
      init(versionedSchema: any VersionedSchema.Type)
      func entity<Model>(for: Model.Type) -> Schema.Entity? where Model: PersistentModel
      func save(to: URL) throws
      static func entityName<Model>(for: Model.Type) -> String where Model: PersistentModel
      static func load(from: URL) throws -> Schema
      static var schemaEncodingVersion: Schema.Version { get }
      var debugDescription: String { get }
      var encodingVersion: Schema.Version { get }
      var entities: [Schema.Entity] { get }
      var entitiesByName: [String: Schema.Entity] { get }
      var version: Schema.Version { get }
    Schema.Attribute:
      class Attribute
      init(_: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil)
      init(from: any Decoder) throws
      init(name: String, originalName: String? = nil, options: [Schema.Attribute.Option] = [], valueType: any
         Any.Type, defaultValue: Any? = nil, hashModifier: String? = nil)
      func hash(into: inout Hasher)
      var debugDescription: String { get }
      var defaultValue: Any? { get set }
      var hashModifier: String? { get set }
      var isCodable: Bool { get }
      var isOptional: Bool { get set }
      var isTransformable: Bool { get }
      var isTransient: Bool { get }
      var isUnique: Bool { get }
      var name: String { get set }
      var options: [Schema.Attribute.Option] { get set }
      var originalName: String { get set }
      var valueType: any Any.Type { get set }
    Schema.Attribute.Option:
      struct Option
      static func transformable(by: String) -> Schema.Attribute.Option
      static func transformable(by: ValueTransformer.Type) -> Schema.Attribute.Option
      static var allowsCloudEncryption: Schema.Attribute.Option { get }
      static var codable: Schema.Attribute.Option { get }
      static var ephemeral: Schema.Attribute.Option { get }
      static var externalStorage: Schema.Attribute.Option { get }
      static var preserveValueOnDeletion: Schema.Attribute.Option { get }
      static var spotlight: Schema.Attribute.Option { get }
      static var unique: Schema.Attribute.Option { get }
    Schema.CompositeAttribute:
      class CompositeAttribute
      init(from: any Decoder) throws
      init(name: String, originalName: String? = nil, options: [Schema.Attribute.Option] = [], valueType: any
         Any.Type, defaultValue: Any? = nil, hashModifier: String? = nil)
      var debugDescription: String { get }
      var properties: [Schema.Attribute] { get set }
    Schema.Entity:
      class Entity
      init(_: String)
      init(_: String, properties: any SchemaProperty...)
      init(_: String, subentities: Schema.Entity..., properties: any SchemaProperty...)
      init(from: any Decoder) throws
      var attributes: Set<Schema.Attribute> { get set }
      var attributesByName: [String: Schema.Attribute] { get set }
      var debugDescription: String { get }
      var indices: [[String]] { get set }
      var inheritedProperties: [any SchemaProperty] { get set }
      var inheritedPropertiesByName: [String: any SchemaProperty] { get set }
      var name: String { get set }
      var properties: [any SchemaProperty] { get }
      var relationships: Set<Schema.Relationship> { get set }
      var relationshipsByName: [String: Schema.Relationship] { get set }
      var storedProperties: [any SchemaProperty] { get set }
      var storedPropertiesByName: [String: any SchemaProperty] { get set }
      var subentities: Set<Schema.Entity> { get set }
      var superentity: Schema.Entity? { get set }
      var superentityName: String? { get set }
      var uniquenessConstraints: [[String]] { get set }
    Schema.Index:
      class Index<T> where T: PersistentModel
      init(_: Schema.Index<T>.Types<T>...)
      init(_: [PartialKeyPath<T>]...)
      init(from: any Decoder) throws
      func hash(into: inout Hasher)
      var debugDescription: String { get }
      var indices: [Schema.Index<T>.Types<T>] { get }
      var isUnique: Bool { get }
      var name: String { get set }
      var originalName: String { get set }
      var valueType: any Any.Type { get set }
    Schema.Index.CodingKeys:
      enum CodingKeys
      case indices
    Schema.Index.Types:
      enum Types<P> where P: PersistentModel
      case binary([PartialKeyPath<P>])
      case rtree([PartialKeyPath<P>])
    Schema.PropertyMetadata:
      struct PropertyMetadata
      init(name: String, keypath: AnyKeyPath, defaultValue: Any? = nil, metadata: (any SchemaProperty)? = nil)
    Schema.Relationship:
      class Relationship
      init(_: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
         minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath?
         = nil, hashModifier: String? = nil)
      init(from: any Decoder) throws
      func hash(into: inout Hasher)
      var deleteRule: Schema.Relationship.DeleteRule { get set }
      var destination: String { get set }
      var hashModifier: String? { get set }
      var inverseKeyPath: AnyKeyPath? { get set }
      var inverseName: String? { get set }
      var isToOneRelationship: Bool { get }
      var isTransient: Bool { get }
      var isUnique: Bool { get }
      var keypath: AnyKeyPath? { get set }
      var maximumModelCount: Int? { get set }
      var minimumModelCount: Int? { get set }
      var name: String { get set }
      var options: [Schema.Relationship.Option] { get set }
      var originalName: String { get set }
      var valueType: any Any.Type { get set }
    Schema.Relationship.DeleteRule:
      enum DeleteRule
      case cascade
      case deny
      case noAction
      case nullify
      init?(rawValue: String)
    Schema.Relationship.Option:
      struct Option
      static var unique: Schema.Relationship.Option { get }
    Schema.Unique:
      class Unique<T> where T: PersistentModel
      init(_: [PartialKeyPath<T>]...)
      init(from: any Decoder) throws
      func hash(into: inout Hasher)
      var constraints: [[PartialKeyPath<T>]] { get }
      var debugDescription: String { get }
      var isUnique: Bool { get }
      var name: String { get set }
      var originalName: String { get set }
      var valueType: any Any.Type { get set }
    Schema.Unique.CodingKeys:
      enum CodingKeys
      case constraints
    Schema.Version:
      struct Version
      init(_: Int, _: Int, _: Int)
      init(from: any Decoder) throws
      var description: String { get }
      var major: Int { get }
      var minor: Int { get }
      var patch: Int { get }
    VersionedSchema:
      protocol VersionedSchema: SendableMetatype
      static var models: [any PersistentModel.Type] { get }
      static var versionIdentifier: Schema.Version { get }
    SchemaMigrationPlan:
      protocol SchemaMigrationPlan: SendableMetatype
      static var schemas: [any VersionedSchema.Type] { get }
      static var stages: [MigrationStage] { get }
    MigrationStage:
      enum MigrationStage
      case custom(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type, willMigrate:
         ((ModelContext) throws -> Void)?, didMigrate: ((ModelContext) throws -> Void)?)
      case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
    """
}

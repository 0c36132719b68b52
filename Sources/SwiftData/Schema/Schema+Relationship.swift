extension Schema {
  /// A relationship of an entity, or the annotation `@Relationship` of a property. Apple: `Schema.Relationship`.
  ///
  /// What the plain spelling means for Core Data, read off real SwiftData stores: `M` is required and `M?` optional, both with
  /// counts 0…1; `[M]` is required and `[M]?` optional, both with counts 0…0, which is no bound. Every other combination is
  /// said with `minimumModelCount` and `maximumModelCount` (a to-one's 0 counts as 1, since a relationship to one has that
  /// maximum), `.ordered`, and `.transient`, so that each fact of a version hash has a spelling (VH-6).
  public final class Relationship: SchemaProperty, @unchecked Sendable {
    /// The relationship's name in the store: the property's, unless `name:` says otherwise.
    public var name: String
    /// The relationship's name in the version before.
    public var originalName: String
    /// How the relationship is stored.
    public var options: [Option]
    /// The type of the property: `M`, `M?`, `[M]` or `[M]?`.
    public var valueType: any Any.Type
    /// The key path of the property.
    public var keypath: AnyKeyPath?
    /// The name of the entity it leads to.
    public var destination: String
    /// What becomes of the destinations when an object is deleted.
    public var deleteRule: DeleteRule
    /// The name of the other side.
    public var inverseName: String?
    /// The key path of the other side.
    public var inverseKeyPath: AnyKeyPath?
    /// The smallest number of destinations that a save allows.
    public var minimumModelCount: Int?
    /// The largest number; 0 for no bound.
    public var maximumModelCount: Int?
    /// Changes the version hash.
    public var hashModifier: String?

    /// The annotation of a property.
    ///
    /// Apple: `Schema.Relationship.init(_:deleteRule:minimumModelCount:maximumModelCount:originalName:inverse:hashModifier:)`.
    public convenience init(
      _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
      hashModifier: String? = nil
    ) {
      self.init(
        name: "", originalName: originalName ?? "", options: options, valueType: Any.self, destination: "",
        deleteRule: deleteRule, minimumModelCount: minimumModelCount, maximumModelCount: maximumModelCount,
        inverseKeyPath: inverse, hashModifier: hashModifier)
    }

    /// The annotation of a property whose stored name is not its own. Not in Apple's framework.
    public convenience init(
      _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0, name: String, originalName: String? = nil, inverse: AnyKeyPath? = nil,
      hashModifier: String? = nil
    ) {
      self.init(
        name: name, originalName: originalName ?? "", options: options, valueType: Any.self, destination: "",
        deleteRule: deleteRule, minimumModelCount: minimumModelCount, maximumModelCount: maximumModelCount,
        inverseKeyPath: inverse, hashModifier: hashModifier)
    }

    init(
      name: String, originalName: String, options: [Option] = [], valueType: any Any.Type, destination: String,
      deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0,
      keypath: AnyKeyPath? = nil, inverseKeyPath: AnyKeyPath? = nil, hashModifier: String? = nil
    ) {
      self.name = name
      self.originalName = originalName
      self.options = options
      self.valueType = valueType
      self.destination = destination
      self.deleteRule = deleteRule
      self.minimumModelCount = minimumModelCount
      self.maximumModelCount = maximumModelCount
      self.keypath = keypath
      self.inverseKeyPath = inverseKeyPath
      self.hashModifier = hashModifier
    }

    /// Whether it leads to at most one object.
    public var isToOneRelationship: Bool {
      !(((valueType as? any OptionalType.Type)?.wrappedType ?? valueType) is any ArrayValue.Type)
    }
    /// Whether no two objects may lead to the same one.
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether it lives in memory only.
    public var isTransient: Bool { options.contains(.transient) }
    /// Whether the members keep the order they were given (CD-3.4). Not in Apple's framework.
    public var isOrdered: Bool { options.contains(.ordered) }

    /// Whether two relationships say the same.
    public static func == (left: Relationship, right: Relationship) -> Bool {
      left.name == right.name && left.originalName == right.originalName && left.options == right.options
        && left.isToOneRelationship == right.isToOneRelationship && left.isOptional == right.isOptional
        && left.destination == right.destination
        && left.deleteRule == right.deleteRule && left.inverseName == right.inverseName
        && left.minimumModelCount == right.minimumModelCount && left.maximumModelCount == right.maximumModelCount
        && left.hashModifier == right.hashModifier
    }

    /// Hashes the name and the destination.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(destination)
    }

    private enum CodingKeys: String, CodingKey {
      case name, originalName, options, isToOne, isOptional, destination, deleteRule, inverseName, minimumModelCount
      case maximumModelCount, hashModifier
    }

    /// Reads a coded relationship; key paths are not coded.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      originalName = try container.decode(String.self, forKey: .originalName)
      options = try container.decode([Option].self, forKey: .options)
      valueType = CodedType.relationship(
        isToOne: try container.decode(Bool.self, forKey: .isToOne),
        isOptional: try container.decode(Bool.self, forKey: .isOptional))
      destination = try container.decode(String.self, forKey: .destination)
      deleteRule = try container.decode(DeleteRule.self, forKey: .deleteRule)
      inverseName = try container.decodeIfPresent(String.self, forKey: .inverseName)
      minimumModelCount = try container.decodeIfPresent(Int.self, forKey: .minimumModelCount)
      maximumModelCount = try container.decodeIfPresent(Int.self, forKey: .maximumModelCount)
      hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
    }

    /// Writes everything but the key paths.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encode(originalName, forKey: .originalName)
      try container.encode(options, forKey: .options)
      try container.encode(isToOneRelationship, forKey: .isToOne)
      try container.encode(isOptional, forKey: .isOptional)
      try container.encode(destination, forKey: .destination)
      try container.encode(deleteRule, forKey: .deleteRule)
      try container.encodeIfPresent(inverseName, forKey: .inverseName)
      try container.encodeIfPresent(minimumModelCount, forKey: .minimumModelCount)
      try container.encodeIfPresent(maximumModelCount, forKey: .maximumModelCount)
      try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
    }
  }
}

extension Schema.Relationship {
  /// What becomes of the destinations of a deleted object. Apple: `Schema.Relationship.DeleteRule`.
  public enum DeleteRule: String, Codable, CaseIterable, Sendable {
    /// Nothing; they may lead to an object that is gone.
    case noAction
    /// They no longer lead to it.
    case nullify
    /// They are deleted too.
    case cascade
    /// The deletion fails while there are any.
    case deny
  }

  /// How a relationship is stored. Apple: `Schema.Relationship.Option`.
  public struct Option: Codable, Hashable, Sendable {
    let kind: Kind

    enum Kind: Codable, Hashable, Sendable {
      case unique, ordered, transient, selfInverse, noInverse, spotlight, externalRecord
      case inverse(name: String, entity: String)
      case userInfo([String: Schema.UserInfoValue])
    }

    /// No two objects lead to the same destination.
    public static var unique: Option { Option(kind: .unique) }
    /// The members of a to-many keep the order they were given (CD-3.4). Not in Apple's framework.
    public static var ordered: Option { Option(kind: .ordered) }
    /// The relationship lives in memory only. Not in Apple's framework.
    public static var transient: Option { Option(kind: .transient) }
    /// The relationship is its own inverse, which `inverse:` cannot say without a circular reference. Not in Apple's
    /// framework.
    public static var selfInverse: Option { Option(kind: .selfInverse) }
    /// The relationship has no inverse, and none is inferred. Not in Apple's framework.
    public static var noInverse: Option { Option(kind: .noInverse) }
    /// The model names an inverse that does not name this relationship in return: part of the version hash (VH-6), otherwise
    /// without effect. Not in Apple's framework.
    public static func inverse(named name: String, of entity: String) -> Option {
      Option(kind: .inverse(name: name, entity: entity))
    }
    /// Indexed by Spotlight; kept in the schema, otherwise without effect here. Not in Apple's framework.
    public static var spotlight: Option { Option(kind: .spotlight) }
    /// Kept in an external record too, as models of before 2017 say; without effect. Not in Apple's framework.
    public static var externalRecord: Option { Option(kind: .externalRecord) }
    /// Kept in the store's model. Not in Apple's framework.
    public static func userInfo(_ userInfo: [String: Schema.UserInfoValue]) -> Option {
      Option(kind: .userInfo(userInfo))
    }
  }
}

/// What a type is as the type of a relationship.
struct RelationshipType {
  let destination: any PersistentModel.Type
  let isToMany: Bool
  let isOptional: Bool

  /// `nil` for the types of attributes.
  init?(_ type: Any.Type) {
    let optional = type as? any OptionalType.Type
    let unwrapped = optional?.wrappedType ?? type
    isOptional = optional != nil
    if let model = unwrapped as? any PersistentModel.Type {
      destination = model
      isToMany = false
    } else if let array = unwrapped as? any ArrayValue.Type, let model = array.elementType as? any PersistentModel.Type
    {
      destination = model
      isToMany = true
    } else {
      return nil
    }
  }
}

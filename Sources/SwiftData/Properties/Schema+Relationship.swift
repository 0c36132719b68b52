extension Schema {
  /// A relationship of an entity, or the annotation `@Relationship` of a property. Apple: `Schema.Relationship`.
  ///
  /// A property's type alone means, in real SwiftData stores: `M` is required and `M?` optional, both with counts 0…1;
  /// `[M]` is required and `[M]?` optional, both with counts 0…0, which is no bound.
  ///
  /// `minimumModelCount`, `maximumModelCount`, `.ordered` and `.transient` state every other combination, so each fact
  /// of a version hash can be declared (VH-6). The maximum of a to-one relationship is always 1.
  public final class Relationship: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    /// The relationship's name in the store: the property's name, unless `name:` is given.
    public var name: String
    /// The relationship's name in the previous version of the model.
    public var originalName: String
    /// How the relationship is stored.
    public var options: [Option]
    /// The type of the property: `M`, `M?`, `[M]` or `[M]?`.
    public var valueType: any Any.Type
    /// The key path of the property.
    public var keypath: AnyKeyPath?
    /// The name of the destination entity.
    public var destination: String
    /// The effect on the destinations when an object is deleted.
    public var deleteRule: DeleteRule
    /// The name of the inverse.
    public var inverseName: String?
    /// The key path of the inverse.
    public var inverseKeyPath: AnyKeyPath?
    /// The smallest number of destinations that a save allows.
    public var minimumModelCount: Int?
    /// The largest number of destinations that a save allows; 0 for no bound.
    public var maximumModelCount: Int?
    /// Text that changes the relationship's version hash.
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

    /// The annotation of a property whose stored name differs from its Swift name. Not in Apple's framework.
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
    /// Whether no two objects may have the same destination.
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether the relationship lives in memory only.
    public var isTransient: Bool { options.contains(.transient) }
    /// Whether the members keep the order in which they were assigned (CD-3.4). Not in Apple's framework.
    public var isOrdered: Bool { options.contains(.ordered) }

    /// Whether two relationships are declared alike.
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

    /// The name, the destination, the inverse, and the options that are set.
    public var debugDescription: String {
      let type = isToOneRelationship ? destination : "[\(destination)]"
      var parts = ["\(name): \(type)\(isOptional ? "?" : "")"]
      if let inverseName { parts.append("inverse \(inverseName)") }
      parts.append("delete rule \(deleteRule.rawValue)")
      if originalName != name, !originalName.isEmpty { parts.append("was \(originalName)") }
      parts += options.map(\.debugDescription)
      if let hashModifier { parts.append("hash modifier \(hashModifier)") }
      return parts.joined(separator: " ")
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
  /// The effect of a deletion on the destinations of the deleted object. Apple: `Schema.Relationship.DeleteRule`.
  public enum DeleteRule: String, Codable, CaseIterable, Sendable {
    /// Leaves the destinations unchanged; they may keep references to a deleted object.
    case noAction
    /// Removes the reference to the deleted object from each destination.
    case nullify
    /// Deletes the destinations too.
    case cascade
    /// Refuses the deletion while there are destinations.
    case deny
  }

  /// How a relationship is stored. Apple: `Schema.Relationship.Option`.
  public struct Option: Codable, Hashable, CustomDebugStringConvertible, Sendable {
    let kind: Kind

    /// The option as it is written.
    public var debugDescription: String { ".\(kind)" }

    enum Kind: Codable, Hashable, Sendable {
      case unique, ordered, transient, selfInverse, noInverse, spotlight, externalRecord
      case inverse(name: String, entity: String)
      case userInfo([String: Schema.UserInfoValue])
    }

    /// No two objects have the same destination.
    public static var unique: Option { Option(kind: .unique) }
    /// The members of a to-many relationship keep the order in which they were assigned (CD-3.4). Not in Apple's framework.
    public static var ordered: Option { Option(kind: .ordered) }
    /// The relationship lives in memory only. Not in Apple's framework.
    public static var transient: Option { Option(kind: .transient) }
    /// The relationship is its own inverse; `inverse:` would be a circular reference. Not in Apple's framework.
    public static var selfInverse: Option { Option(kind: .selfInverse) }
    /// The relationship has no inverse; none is inferred. Not in Apple's framework.
    public static var noInverse: Option { Option(kind: .noInverse) }
    /// The model names an inverse that does not name this relationship in return.
    ///
    /// This is part of the version hash (VH-6). A to-many relationship whose inverse is to-one is stored in the inverse's key. Not in
    /// Apple's framework.
    public static func inverse(named name: String, of entity: String) -> Option {
      Option(kind: .inverse(name: name, entity: entity))
    }
    /// Indexed by Spotlight; kept in the schema, otherwise without effect here. Not in Apple's framework.
    public static var spotlight: Option { Option(kind: .spotlight) }
    /// Marks the relationship as kept in an external record, as models before 2017 do; without effect. Not in Apple's
    /// framework.
    public static var externalRecord: Option { Option(kind: .externalRecord) }
    /// User info that the store's model keeps for tools. Not in Apple's framework.
    public static func userInfo(_ userInfo: [String: Schema.UserInfoValue]) -> Option {
      Option(kind: .userInfo(userInfo))
    }
  }
}

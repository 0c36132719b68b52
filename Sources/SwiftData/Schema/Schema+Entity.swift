extension Schema {
  /// An entity: the description of a model class in its store. Apple: `Schema.Entity`.
  public final class Entity: Codable, @unchecked Sendable {
    /// The entity's name.
    public var name: String
    /// The entities that inherit from this one directly; assigning them makes this entity their superentity.
    public var subentities: Set<Entity> {
      didSet { adopt(subentities, instead: oldValue) }
    }
    /// The name of the superentity.
    public var superentityName: String?
    /// The superentity.
    public weak var superentity: Entity?
    /// Its own attributes and relationships, in declared order.
    public var storedProperties: [any SchemaProperty]
    /// What the program assigned to ``inheritedProperties``.
    var assignedInheritance: [any SchemaProperty] = []
    /// Names of properties whose values together are unique, per constraint.
    public var uniquenessConstraints: [[String]] = []
    /// The indexes: of each its kind, `binary` or `rtree`, and the names of its properties. An assigned index may lack the kind,
    /// which is `binary` then.
    public var indices: [[String]] {
      get { declaredIndexes.map(\.kindAndNames) }
      set { declaredIndexes = newValue.map { DeclaredIndex(kindAndNames: $0) } }
    }
    var declaredIndexes: [DeclaredIndex] = []
    /// Whether the entity has no objects of its own: only its subentities have objects. Not in Apple's framework.
    public internal(set) var isAbstract = false
    /// Text that changes the entity's version hash. Not in Apple's framework.
    public internal(set) var hashModifier: String?
    /// The entity's name in the previous version of the model. Not in Apple's framework.
    public internal(set) var originalName: String?
    /// User info that the store's model keeps for tools. Not in Apple's framework.
    public internal(set) var userInfo: [String: UserInfoValue] = [:]
    /// The class that the model names for the entity; `nil` if it has the entity's name. Not in Apple's framework.
    public internal(set) var className: String?
    /// The expression whose value is an object's display name in Spotlight. Not in Apple's framework.
    public internal(set) var spotlightDisplayName: String?
    /// Its own fetched properties. Not in Apple's framework.
    public internal(set) var fetchedProperties: [FetchedProperty] = []

    /// An entity without properties. Apple: `Schema.Entity.init(_:)`.
    public convenience init(_ name: String) { self.init(name, subentities: [], properties: []) }

    /// An entity with properties. Apple: `Schema.Entity.init(_:properties:)`.
    public convenience init(_ name: String, properties: any SchemaProperty...) {
      self.init(name, subentities: [], properties: properties)
    }

    /// An entity with properties. Not in Apple's framework.
    public convenience init(_ name: String, properties: [any SchemaProperty]) {
      self.init(name, subentities: [], properties: properties)
    }

    /// An entity with properties and subentities. Apple: `Schema.Entity.init(_:subentities:properties:)`.
    public convenience init(_ name: String, subentities: Entity..., properties: any SchemaProperty...) {
      self.init(name, subentities: subentities, properties: properties)
    }

    /// An entity with properties and subentities. Not in Apple's framework.
    ///
    /// Each unique property is a uniqueness constraint.
    public init(_ name: String, subentities: [Entity], properties: [any SchemaProperty]) {
      self.name = name
      self.subentities = Set(subentities)
      self.storedProperties = properties
      self.uniquenessConstraints = properties.filter(\.isUnique).map { [$0.name] }
      adopt(self.subentities, instead: [])
    }

    private func adopt(_ entities: Set<Entity>, instead former: Set<Entity>) {
      for entity in former where entity.superentity === self && !entities.contains(where: { $0 === entity }) {
        entity.superentityName = nil
        entity.superentity = nil
      }
      for entity in entities {
        entity.superentityName = name
        entity.superentity = self
      }
    }

    // MARK: Coding

    private enum CodingKeys: String, CodingKey {
      case name, superentityName, attributes, relationships, uniquenessConstraints, indices, isAbstract, hashModifier
      case originalName, userInfo, className, spotlightDisplayName, fetchedProperties, propertyNames
    }

    /// Reads a coded entity; the schema that contains it sets its superentity.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      superentityName = try container.decodeIfPresent(String.self, forKey: .superentityName)
      var properties: [any SchemaProperty] =
        try container.decode([CodedAttribute].self, forKey: .attributes).map(\.attribute)
      properties += try container.decode([Relationship].self, forKey: .relationships)
      let order = try container.decodeIfPresent([String].self, forKey: .propertyNames) ?? []
      let places = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
      storedProperties = properties.sorted {
        (places[$0.name] ?? order.count) < (places[$1.name] ?? order.count)
      }
      uniquenessConstraints = try container.decode([[String]].self, forKey: .uniquenessConstraints)
      declaredIndexes = try container.decode([DeclaredIndex].self, forKey: .indices)
      isAbstract = try container.decode(Bool.self, forKey: .isAbstract)
      hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
      originalName = try container.decodeIfPresent(String.self, forKey: .originalName)
      userInfo = try container.decode([String: UserInfoValue].self, forKey: .userInfo)
      className = try container.decodeIfPresent(String.self, forKey: .className)
      spotlightDisplayName = try container.decodeIfPresent(String.self, forKey: .spotlightDisplayName)
      fetchedProperties = try container.decode([FetchedProperty].self, forKey: .fetchedProperties)
      subentities = []
    }

    /// Writes the entity with its own properties.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encodeIfPresent(superentityName, forKey: .superentityName)
      try container.encode(storedProperties.compactMap { $0 as? Attribute }, forKey: .attributes)
      try container.encode(storedProperties.compactMap { $0 as? Relationship }, forKey: .relationships)
      try container.encode(storedProperties.map(\.name), forKey: .propertyNames)
      try container.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
      try container.encode(declaredIndexes, forKey: .indices)
      try container.encode(isAbstract, forKey: .isAbstract)
      try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
      try container.encodeIfPresent(originalName, forKey: .originalName)
      try container.encode(userInfo, forKey: .userInfo)
      try container.encodeIfPresent(className, forKey: .className)
      try container.encodeIfPresent(spotlightDisplayName, forKey: .spotlightDisplayName)
      try container.encode(fetchedProperties, forKey: .fetchedProperties)
    }
  }
}

extension Schema.Entity: Hashable, CustomDebugStringConvertible {
  /// Whether two entities have the same name, and own properties declared alike.
  public static func == (left: Schema.Entity, right: Schema.Entity) -> Bool {
    guard left !== right else { return true }
    func attributes(_ entity: Schema.Entity) -> Set<Schema.Attribute> {
      Set(entity.storedProperties.compactMap { $0 as? Schema.Attribute })
    }
    func relationships(_ entity: Schema.Entity) -> Set<Schema.Relationship> {
      Set(entity.storedProperties.compactMap { $0 as? Schema.Relationship })
    }
    return left.name == right.name && left.superentityName == right.superentityName
      && left.uniquenessConstraints == right.uniquenessConstraints && left.declaredIndexes == right.declaredIndexes
      && left.fetchedProperties == right.fetchedProperties
      && left.isAbstract == right.isAbstract && left.hashModifier == right.hashModifier
      && attributes(left) == attributes(right) && relationships(left) == relationships(right)
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// The name, and the names of the properties.
  public var debugDescription: String {
    "\(name)\(superentityName.map { ": \($0)" } ?? "") (\(properties.map(\.name).joined(separator: ", ")))"
  }
}

public import FoundationAdditions

extension Schema {
  /// An attribute of an entity, or the annotation `@Attribute` of a property. Apple: `Schema.Attribute`.
  public class Attribute: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    /// The attribute's name in the store: the property's name, unless `name:` is given.
    public var name: String
    /// The attribute's name in the previous version of the model.
    public var originalName: String
    /// How the attribute is stored.
    public var options: [Option]
    /// The type of the property's value.
    public var valueType: any Any.Type {
      didSet { unknownTypeName = nil }
    }
    /// The name of a coded attribute's type that this program does not have.
    private var unknownTypeName: String?
    /// What the program said of ``isOptional``.
    private var statedOptional: Bool?
    /// The property's initial value.
    public var defaultValue: Any?
    /// Text that changes the attribute's version hash.
    public var hashModifier: String?

    /// The annotation of a property. Apple: `Schema.Attribute.init(_:originalName:hashModifier:)`.
    public init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
      self.name = ""
      self.originalName = originalName ?? ""
      self.options = options
      self.valueType = Any.self
      self.hashModifier = hashModifier
    }

    /// The annotation of a property whose stored name differs from its Swift name. Not in Apple's framework.
    public init(_ options: Option..., name: String, originalName: String? = nil, hashModifier: String? = nil) {
      self.name = name
      self.originalName = originalName ?? ""
      self.options = options
      self.valueType = Any.self
      self.hashModifier = hashModifier
    }

    /// An attribute of an entity.
    ///
    /// Apple: `Schema.Attribute.init(name:originalName:options:valueType:defaultValue:hashModifier:)`.
    public init(
      name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
      defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      self.name = name
      self.originalName = originalName ?? name
      self.options = options
      self.valueType = valueType
      self.defaultValue = defaultValue
      self.hashModifier = hashModifier
    }

    /// Whether the value may be `nil`: whether its type is an optional, unless something else is assigned.
    ///
    /// An assigned value changes the attribute's version hash, and what a store of the schema says of the column.
    public var isOptional: Bool {
      get { statedOptional ?? (valueType is any OptionalType.Type) }
      set { statedOptional = newValue }
    }
    /// Whether no two objects may have the same value.
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether a value transformer, or a keyed archive, makes the stored bytes.
    public var isTransformable: Bool {
      options.contains { $0.transformerName != nil } || options.contains(.transformable)
    }
    /// Whether one column of bytes holds the value's `Codable` encoding.
    public var isCodable: Bool { options.contains(.codable) }
    /// Whether the value lives in memory only.
    public var isTransient: Bool { options.contains(.ephemeral) }

    /// Whether two attributes are declared alike; default values are not compared.
    public static func == (left: Attribute, right: Attribute) -> Bool { left.isEqual(to: right) }

    func isEqual(to other: Attribute) -> Bool {
      type(of: self) == type(of: other) && name == other.name && originalName == other.originalName
        && options == other.options && isOptional == other.isOptional && hashModifier == other.hashModifier
        && typeName == other.typeName
    }

    /// The type's name, also if this program does not have the type.
    private var typeName: String { unknownTypeName ?? CodedType.name(of: valueType) }

    /// Hashes the name and the options.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(options)
    }

    /// The name, the type, and the options that are set.
    public var debugDescription: String {
      var parts = ["\(name): \(typeName)"]
      if isOptional != (valueType is any OptionalType.Type) { parts.append(isOptional ? "optional" : "required") }
      if originalName != name, !originalName.isEmpty { parts.append("was \(originalName)") }
      parts += options.map(\.debugDescription)
      if let hashModifier { parts.append("hash modifier \(hashModifier)") }
      return parts.joined(separator: " ")
    }

    // MARK: Coding

    private enum CodingKeys: String, CodingKey {
      case name, originalName, options, valueType, isOptional, defaultValue, hashModifier
    }

    /// Reads a coded attribute.
    ///
    /// A type that this program does not have keeps its name; ``valueType`` is then a type without values.
    public required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      originalName = try container.decode(String.self, forKey: .originalName)
      options = try container.decode([Option].self, forKey: .options)
      let type = try container.decode(CodedType.self, forKey: .valueType)
      let isOptional = try container.decodeIfPresent(Bool.self, forKey: .isOptional)
      valueType = type.isUnknown && isOptional == true ? CodedType.Unknown?.self : type.type
      unknownTypeName = type.isUnknown ? type.name : nil
      if let isOptional, isOptional != (valueType is any OptionalType.Type) { statedOptional = isOptional }
      defaultValue = try container.decodeIfPresent(CodedScalar.self, forKey: .defaultValue)?.value
      hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
    }

    /// Writes the attribute; of default values only those that one column holds.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encode(originalName, forKey: .originalName)
      try container.encode(options, forKey: .options)
      let type = unknownTypeName.map { CodedType(CodedType.Unknown.self, name: $0) } ?? CodedType(valueType)
      try container.encode(type, forKey: .valueType)
      try container.encode(isOptional, forKey: .isOptional)
      try container.encodeIfPresent(CodedScalar(defaultValue), forKey: .defaultValue)
      try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
    }
  }
}

extension Schema.Attribute {
  /// How an attribute is stored. Apple: `Schema.Attribute.Option`.
  public struct Option: Codable, Hashable, CustomDebugStringConvertible, Sendable {
    let kind: Kind

    /// The option as it is written.
    public var debugDescription: String { ".\(kind)" }

    enum Kind: Codable, Hashable, Sendable {
      case unique, externalStorage, allowsCloudEncryption, preserveValueOnDeletion, ephemeral, spotlight, codable
      case transformable(String?)
      case derived(String, filter: String?)
      case externalRecord, untyped, objectIdentifier
      case valueClass(String)
      case userInfo([String: Schema.UserInfoValue])
      case minimum(RuleValue), maximum(RuleValue)
      case length(minimum: Int?, maximum: Int?)
      case matches(String)
      case rule(String, message: String?)
    }

    /// No two objects have the same value; a new object with a value that exists takes the existing row at the save.
    public static var unique: Option { Option(kind: .unique) }
    /// The store may keep large data in a file beside it.
    public static var externalStorage: Option { Option(kind: .externalStorage) }
    /// CloudKit may encrypt the value; kept in the schema, otherwise without effect here.
    public static var allowsCloudEncryption: Option { Option(kind: .allowsCloudEncryption) }
    /// The history keeps the value of a deleted object.
    ///
    /// A store of Core Data's layout keeps no enumerations and structures, since no real store shows their form: mark such a property
    /// ``codable``, too, and its value is kept.
    public static var preserveValueOnDeletion: Option { Option(kind: .preserveValueOnDeletion) }
    /// The context tracks changes; the store has no column for the value.
    public static var ephemeral: Option { Option(kind: .ephemeral) }
    /// Another name of ``ephemeral``, from the first releases of SwiftData.
    public static var transient: Option { ephemeral }
    /// The value is indexed by Spotlight; kept in the schema, otherwise without effect here.
    public static var spotlight: Option { Option(kind: .spotlight) }
    /// The value is stored as its `Codable` encoding, JSON in one column of bytes.
    public static var codable: Option { Option(kind: .codable) }
    /// A value transformer of this class makes the stored bytes; if none is registered, one is made and registered.
    public static func transformable(by transformer: ValueTransformer.Type) -> Option {
      let name = transformer.transformerName
      if ValueTransformer.transformer(forName: name) == nil {
        ValueTransformer.setValueTransformer(transformer.init(), forName: name)
      }
      return Option(kind: .transformable(name))
    }
    /// The value transformer registered under this name makes the stored bytes.
    public static func transformable(by name: String) -> Option { Option(kind: .transformable(name)) }
    /// A keyed archive makes the stored bytes; the model names no transformer. Not in Apple's framework.
    public static var transformable: Option { Option(kind: .transformable(nil)) }
    /// The store computes the value with an expression in Core Data's format, such as `chapters.@count` (VH-7).
    ///
    /// The value is read-only, and is updated by a save or a fetch only. Not in Apple's framework.
    public static func derived(_ expression: String) -> Option { Option(kind: .derived(expression, filter: nil)) }
    /// A derived value over only the objects that satisfy a predicate in Core Data's format.
    ///
    /// The predicate is kept in the schema and is part of the version hash (VH-7). Not in Apple's framework.
    public static func derived(_ expression: String, where predicate: String) -> Option {
      Option(kind: .derived(expression, filter: predicate))
    }
    /// Marks the attribute as kept in an external record, as Spotlight models before 2017 do; without effect. Not in
    /// Apple's framework.
    public static var externalRecord: Option { Option(kind: .externalRecord) }
    /// The model gives the attribute no type, so the store has no column for it. Not in Apple's framework.
    public static var untyped: Option { Option(kind: .untyped) }
    /// The value is an object's identifier, for which no store has a column. Not in Apple's framework.
    public static var objectIdentifier: Option { Option(kind: .objectIdentifier) }
    /// The class of a transformable value, as named by the model. Not in Apple's framework.
    public static func valueClass(_ name: String) -> Option { Option(kind: .valueClass(name)) }
    /// User info that the store's model keeps for tools. Not in Apple's framework.
    public static func userInfo(_ userInfo: [String: Schema.UserInfoValue]) -> Option {
      Option(kind: .userInfo(userInfo))
    }

    var transformerName: String? { if case .transformable(let name) = kind { name } else { nil } }
    var derivation: String? { if case .derived(let expression, _) = kind { expression } else { nil } }
    /// Whether the attribute has no column, whatever its type.
    var hasNoColumn: Bool { [.ephemeral, .untyped, .objectIdentifier].contains(kind) }
  }
}

extension Schema.Attribute.Option {
  /// Whether one column of bytes holds the value, whatever its type.
  var isOpaque: Bool {
    switch kind {
    case .transformable, .codable: true
    default: false
    }
  }
}

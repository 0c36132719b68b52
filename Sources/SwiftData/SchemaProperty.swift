/// A property of a schema's entity. Apple: `SchemaProperty`.
public protocol SchemaProperty: Codable, Hashable {
  /// The property's name in the store.
  var name: String { get set }
  /// The property's name in the previous version of the model; its current name if it was not renamed.
  var originalName: String { get set }
  /// The type of the property's value.
  var valueType: any Any.Type { get set }
  /// Whether it is an attribute.
  var isAttribute: Bool { get }
  /// Whether it is a relationship.
  var isRelationship: Bool { get }
  /// Whether it has no column and lives in memory only.
  var isTransient: Bool { get }
  /// Whether its value may be `nil`.
  var isOptional: Bool { get }
  /// Whether no two objects may have the same value.
  var isUnique: Bool { get }
}

extension SchemaProperty {
  /// `true` for attributes.
  public var isAttribute: Bool { self is Schema.Attribute }
  /// `true` for relationships.
  public var isRelationship: Bool { self is Schema.Relationship }
  /// `false` by default.
  public var isTransient: Bool { false }
  /// Whether the type of the value is an optional.
  public var isOptional: Bool { valueType is any OptionalType.Type }
}

extension Schema {
  /// An attribute stored in several columns: the property's type is a structure or an enumeration (CD-2.4).
  ///
  /// Apple: `Schema.CompositeAttribute`.
  public final class CompositeAttribute: Attribute, @unchecked Sendable {
    /// The stored elements, in declared order.
    ///
    /// A store's columns are made of the value's type, not of this list.
    public var properties: [Attribute] = []

    /// A composite attribute without elements; assign ``properties``.
    ///
    /// Apple: `Schema.CompositeAttribute.init(name:originalName:options:valueType:defaultValue:hashModifier:)`.
    public override init(
      name: String, originalName: String? = nil, options: [Schema.Attribute.Option] = [], valueType: any Any.Type,
      defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      super.init(
        name: name, originalName: originalName, options: options, valueType: valueType, defaultValue: defaultValue,
        hashModifier: hashModifier)
    }

    /// Whether two attributes are declared alike and have equal elements; default values are not compared.
    public static func == (left: CompositeAttribute, right: CompositeAttribute) -> Bool { left.isEqual(to: right) }

    override func isEqual(to other: Attribute) -> Bool {
      guard let other = other as? CompositeAttribute else { return false }
      return super.isEqual(to: other) && properties == other.properties
    }

    /// The attribute, and its elements in braces.
    public override var debugDescription: String {
      "\(super.debugDescription) { \(properties.map(\.debugDescription).joined(separator: ", ")) }"
    }

    // MARK: Coding

    /// The key that tells a composite attribute from others.
    enum ElementKeys: String, CodingKey { case properties }

    /// Reads a coded attribute with its elements.
    public required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: ElementKeys.self)
      properties = try container.decode([CodedAttribute].self, forKey: .properties).map(\.attribute)
      try super.init(from: decoder)
    }

    /// Writes the attribute with its elements.
    public override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: ElementKeys.self)
      try container.encode(properties, forKey: .properties)
    }
  }

  /// A coded attribute of either class.
  struct CodedAttribute: Decodable {
    let attribute: Attribute

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CompositeAttribute.ElementKeys.self)
      attribute =
        container.contains(.properties) ? try CompositeAttribute(from: decoder) : try Attribute(from: decoder)
    }
  }
}

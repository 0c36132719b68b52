extension Schema {
  /// The declaration of one property of a model class. Apple: `Schema.PropertyMetadata`.
  public struct PropertyMetadata {
    let name: String
    let keyPath: AnyKeyPath?
    /// Evaluates the initial value at each call.
    let defaultValue: () -> Any?
    let metadata: (any SchemaProperty)?
    /// The index that the macro gave the property; `nil` for metadata written by hand.
    let index: Int?
    /// The fetch of a fetched property; `nil` for other properties.
    private(set) var fetched: FetchedProperty?

    /// A property with its annotation, or a constraint of the class.
    ///
    /// Apple: `PropertyMetadata.init(name:keypath:defaultValue:metadata:)`.
    public init(
      name: String, keypath: AnyKeyPath, defaultValue: @autoclosure @escaping () -> Any? = nil,
      metadata: (any SchemaProperty)? = nil
    ) {
      let isProperty = metadata.map { $0 is Schema.Attribute || $0 is Schema.Relationship } ?? true
      self.name = name
      self.keyPath = isProperty ? keypath : nil
      self.defaultValue = defaultValue
      self.metadata = metadata
      self.index = nil
    }

    /// A property of a class that `@Model` expands.
    public init(
      _index: Int, name: String, keypath: AnyKeyPath, defaultValue: @autoclosure @escaping () -> Any?,
      metadata: (any SchemaProperty)?
    ) {
      self.name = name
      self.keyPath = keypath
      self.defaultValue = defaultValue
      self.metadata = metadata
      self.index = _index
    }

    /// `#Unique` or `#Index` in a class that `@Model` expands.
    public init(_constraint: any SchemaProperty) {
      self.name = ""
      self.keyPath = nil
      self.defaultValue = { nil }
      self.metadata = _constraint
      self.index = nil
    }

    /// `@FetchedProperty` in a class that `@Model` expands.
    public init(_fetched: FetchedProperty, named name: String) {
      self.name = name
      self.keyPath = nil
      self.defaultValue = { nil }
      self.metadata = nil
      self.index = nil
      self.fetched = _fetched
    }
  }
}

extension Schema.PropertyMetadata: CustomReflectable {
  /// The four parts of the public initializer under its labels. The type has no public getters, as in Apple's framework,
  /// so programs read the parts by reflection. `#Unique` and `#Index` have the names of their types, and a key path of the schema.
  public var customMirror: Mirror {
    let constraint = metadata.flatMap { $0 is Schema.Attribute || $0 is Schema.Relationship ? nil : type(of: $0) }
    let constraintName = constraint.map { "\(String(reflecting: $0).prefix { $0 != "<" })" }
    return Mirror(
      self,
      children: [
        ("name", constraintName ?? name),
        ("keypath", keyPath ?? (constraint == nil ? nil : \Schema.encodingVersion) as Any),
        ("defaultValue", defaultValue() as Any),
        ("metadata", metadata as Any),
      ], displayStyle: .struct)
  }
}

extension Schema {
  /// What a model class says of one of its properties. Apple: `Schema.PropertyMetadata`.
  public struct PropertyMetadata {
    let name: String
    let keyPath: AnyKeyPath?
    /// The initial value, evaluated when it is asked for.
    let defaultValue: () -> Any?
    let metadata: (any SchemaProperty)?
    /// The index the macro gave the property; `nil` for a class whose metadata was written by hand.
    let index: Int?
    /// What a fetched property fetches.
    private(set) var fetched: FetchedProperty?

    /// A property with its annotation. Apple: `PropertyMetadata.init(name:keypath:defaultValue:metadata:)`.
    public init(
      name: String, keypath: AnyKeyPath, defaultValue: @autoclosure @escaping () -> Any? = nil,
      metadata: (any SchemaProperty)? = nil
    ) {
      self.name = name
      self.keyPath = keypath
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

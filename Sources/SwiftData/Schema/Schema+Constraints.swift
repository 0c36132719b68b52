extension Schema {
  /// Properties that no two objects of a class may share; what `#Unique` says. Apple: `Schema.Unique`.
  public final class Unique<Model: PersistentModel>: SchemaProperty, @unchecked Sendable {
    /// Names of properties per constraint; empty in a constraint that was made of key paths until it is in a schema.
    public private(set) var constraints: [[String]]
    let keyPaths: [[PartialKeyPath<Model>]]
    /// Not used by a constraint.
    public var name = "Unique"
    /// Not used by a constraint.
    public var originalName = "Unique"
    /// Not used by a constraint.
    public var valueType: any Any.Type = Model.self

    /// Apple: `Schema.Unique.init(_:)`.
    public init(_ constraints: [PartialKeyPath<Model>]...) {
      keyPaths = constraints
      self.constraints = []
    }

    /// `true`.
    public var isUnique: Bool { true }

    /// Whether both name the same properties.
    public static func == (left: Unique, right: Unique) -> Bool {
      left.constraints == right.constraints && left.keyPaths == right.keyPaths
    }

    /// Hashes the properties.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(constraints)
      hasher.combine(keyPaths)
    }

    private enum CodingKeys: String, CodingKey { case constraints }

    /// Reads the names.
    public init(from decoder: any Decoder) throws {
      constraints = try decoder.container(keyedBy: CodingKeys.self).decode([[String]].self, forKey: .constraints)
      keyPaths = []
    }

    /// Writes the names.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(constraints.isEmpty ? try names() : constraints, forKey: .constraints)
    }
  }

  /// Properties to index; what `#Index` says. Apple: `Schema.Index`.
  public final class Index<Model: PersistentModel>: SchemaProperty, @unchecked Sendable {
    /// The properties of one index, and how it is built. Apple: `Schema.Index.Types`.
    public enum Types<Root: PersistentModel>: Hashable {
      /// By value and order.
      case binary([PartialKeyPath<Root>])
      /// By region, for coordinates.
      case rtree([PartialKeyPath<Root>])

      var keyPaths: [PartialKeyPath<Root>] {
        switch self {
        case .binary(let keyPaths), .rtree(let keyPaths): keyPaths
        }
      }
    }

    /// Names of properties per index.
    public private(set) var indices: [[String]]
    let types: [Types<Model>]
    /// Not used by an index.
    public var name = "Index"
    /// Not used by an index.
    public var originalName = "Index"
    /// Not used by an index.
    public var valueType: any Any.Type = Model.self

    /// Apple: `Schema.Index.init(_:)`.
    public init(_ indices: [PartialKeyPath<Model>]...) {
      types = indices.map { .binary($0) }
      self.indices = []
    }

    /// Apple: `Schema.Index.init(_:)`.
    public init(_ indices: Types<Model>...) {
      types = indices
      self.indices = []
    }

    /// `false`.
    public var isUnique: Bool { false }

    /// Whether both name the same properties in the same way.
    public static func == (left: Index, right: Index) -> Bool {
      left.indices == right.indices && left.types == right.types
    }

    /// Hashes the properties.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(indices)
      hasher.combine(types)
    }

    private enum CodingKeys: String, CodingKey { case indices }

    /// Reads the names.
    public init(from decoder: any Decoder) throws {
      indices = try decoder.container(keyedBy: CodingKeys.self).decode([[String]].self, forKey: .indices)
      types = []
    }

    /// Writes the names.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(indices.isEmpty ? try elements().map(\.names) : indices, forKey: .indices)
    }
  }
}

/// `Schema.Unique` of any model.
protocol UniquenessConstraint {
  /// Persistent names of properties per constraint.
  func names() throws -> [[String]]
}

/// `Schema.Index` of any model.
protocol IndexDeclaration {
  /// Persistent names of properties per index, and whether it is one of regions.
  func elements() throws -> [(names: [String], isRTree: Bool)]
}

extension Schema.Unique: UniquenessConstraint {
  func names() throws -> [[String]] {
    if !constraints.isEmpty { return constraints }
    let model = ModelClass.of(Model.self)
    return try keyPaths.map { try $0.map { try model.persistentName(of: $0) } }
  }
}

extension Schema.Index: IndexDeclaration {
  func elements() throws -> [(names: [String], isRTree: Bool)] {
    if !indices.isEmpty { return indices.map { ($0, false) } }
    let model = ModelClass.of(Model.self)
    return try types.map { type in
      let isRTree = if case .rtree = type { true } else { false }
      return (try type.keyPaths.map { try model.persistentName(of: $0) }, isRTree)
    }
  }
}

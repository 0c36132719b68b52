extension Schema {
  /// Properties whose values together are unique among the objects of a class; declared by `#Unique`. Apple: `Schema.Unique`.
  public final class Unique<Model: PersistentModel>: SchemaProperty, @unchecked Sendable {
    /// Names of properties per constraint; empty for a constraint made of key paths, until a schema contains it.
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

  /// Properties to index; declared by `#Index`. Apple: `Schema.Index`.
  public final class Index<Model: PersistentModel>: SchemaProperty, @unchecked Sendable {
    /// The properties of one index, and the kind of index. Apple: `Schema.Index.Types`.
    public enum Types<Root: PersistentModel>: Hashable {
      /// A b-tree index over the values.
      case binary([PartialKeyPath<Root>])
      /// An R-tree index over coordinates.
      case rtree([PartialKeyPath<Root>])
      /// A named index: each element has its own order, and an optional predicate in Core Data's format selects the
      /// rows (CD-4).
      /// Not in Apple's framework.
      case named(String, [IndexElement<Root>], where: String? = nil)
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

    /// Whether both index the same properties with the same kinds of index.
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
      try container.encode(indices.isEmpty ? try declarations().map(\.names) : indices, forKey: .indices)
    }
  }

  /// One element of a named index: a property or an expression, and its order.
  ///
  ///     #Index<Book>(.named("byYearAndTitle", [.descending(\.year), .ascending(\.title)]))
  ///
  /// Not in Apple's framework.
  public struct IndexElement<Root: PersistentModel>: Hashable {
    enum Subject: Hashable {
      case property(PartialKeyPath<Root>)
      case expression(String)
    }

    let subject: Subject
    var isAscending = true
    var isRegion = false

    /// Indexes a property, the smallest value first.
    public static func ascending(_ property: PartialKeyPath<Root>) -> Self { Self(subject: .property(property)) }
    /// Indexes a property, the largest value first.
    public static func descending(_ property: PartialKeyPath<Root>) -> Self {
      Self(subject: .property(property), isAscending: false)
    }
    /// Indexes a coordinate in an R-tree.
    public static func region(_ property: PartialKeyPath<Root>, isAscending: Bool = true) -> Self {
      Self(subject: .property(property), isAscending: isAscending, isRegion: true)
    }
    /// Indexes an expression in Core Data's format: `self` is the object, `entity` its entity.
    public static func expression(_ format: String, isAscending: Bool = true, isRegion: Bool = false) -> Self {
      Self(subject: .expression(format), isAscending: isAscending, isRegion: isRegion)
    }
  }
}

/// `Schema.Unique` of any model.
protocol UniquenessConstraint {
  /// Stored names of properties per constraint.
  func names() throws -> [[String]]
}

/// `Schema.Index` of any model.
protocol IndexDeclaration {
  /// The indexes, with stored names of properties.
  func declarations() throws -> [DeclaredIndex]
}

/// An index of an entity.
struct DeclaredIndex: Codable, Hashable, Sendable {
  /// The index's name; `nil` for the name that SwiftData gives an index (CD-4).
  var name: String?
  var elements: [Element]
  var predicate: String?

  struct Element: Codable, Hashable, Sendable {
    /// The path of a property, or an expression.
    var subject: String
    var isExpression = false
    var isAscending = true
    var isRegion = false
  }

  /// The indexed properties and expressions, in order.
  var names: [String] { elements.map(\.subject) }
}

extension Schema.Unique: UniquenessConstraint {
  func names() throws -> [[String]] {
    if !constraints.isEmpty { return constraints }
    let model = ModelClass.of(Model.self)
    return try keyPaths.map { try $0.map { try model.storedPath(of: $0) } }
  }
}

extension Schema.Index: IndexDeclaration {
  func declarations() throws -> [DeclaredIndex] {
    if !indices.isEmpty { return indices.map { DeclaredIndex(elements: $0.map { .init(subject: $0) }) } }
    let model = ModelClass.of(Model.self)
    return try types.map { type in
      switch type {
      case .binary(let keyPaths):
        DeclaredIndex(elements: try keyPaths.map { .init(subject: try model.storedPath(of: $0)) })
      case .rtree(let keyPaths):
        DeclaredIndex(elements: try keyPaths.map { .init(subject: try model.storedPath(of: $0), isRegion: true) })
      case .named(let name, let elements, let predicate):
        DeclaredIndex(name: name, elements: try elements.map { try $0.declared(in: model) }, predicate: predicate)
      }
    }
  }
}

extension Schema.IndexElement {
  fileprivate func declared(in model: ModelClass) throws -> DeclaredIndex.Element {
    switch subject {
    case .property(let keyPath):
      DeclaredIndex.Element(
        subject: try model.storedPath(of: keyPath), isAscending: isAscending, isRegion: isRegion)
    case .expression(let format):
      DeclaredIndex.Element(subject: format, isExpression: true, isAscending: isAscending, isRegion: isRegion)
    }
  }
}

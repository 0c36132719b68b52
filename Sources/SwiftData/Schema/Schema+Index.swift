extension Schema {
  /// Properties to index; declared by `#Index`. Apple: `Schema.Index`.
  public final class Index<T: PersistentModel>: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    /// The properties of one index, and the kind of index. Apple: `Schema.Index.Types`.
    public enum Types<P: PersistentModel>: Hashable {
      /// A b-tree index over the values.
      case binary([PartialKeyPath<P>])
      /// An R-tree index over coordinates.
      case rtree([PartialKeyPath<P>])
      /// A named index: each element has its own order, and an optional predicate in Core Data's format selects the
      /// rows (CD-4).
      /// Not in Apple's framework.
      case named(String, [IndexElement<P>], where: String? = nil)
    }

    /// The indexes.
    ///
    /// A decoded index of an inherited property, or of an element of a value, is not in the list, but a store has it.
    public let indices: [Types<T>]
    /// The declarations of a decoded index.
    private let coded: [DeclaredIndex]?
    /// Not used by an index.
    public var name = "Index"
    /// Not used by an index.
    public var originalName = "Index"
    /// Not used by an index.
    public var valueType: any Any.Type = T.self

    /// Apple: `Schema.Index.init(_:)`.
    public init(_ indices: [PartialKeyPath<T>]...) {
      self.indices = indices.map { .binary($0) }
      coded = nil
    }

    /// Apple: `Schema.Index.init(_:)`.
    public init(_ indices: Types<T>...) {
      self.indices = indices
      coded = nil
    }

    /// `false`.
    public var isUnique: Bool { false }

    /// Whether both index the same properties with the same kinds of index.
    public static func == (left: Index, right: Index) -> Bool {
      guard let one = try? left.declarations(), let other = try? right.declarations() else {
        return left.indices == right.indices
      }
      return one == other
    }

    /// Hashes the properties.
    public func hash(into hasher: inout Hasher) { hasher.combine(try? declarations()) }

    /// The names of the properties, per index.
    public var debugDescription: String {
      guard let indexes = try? declarations() else { return "Index(\(indices))" }
      let texts = indexes.map { index in
        let isRegion = index.elements.contains(where: \.isRegion)
        return (index.name.map { "\($0): " } ?? "") + (isRegion ? "rtree " : "") + index.names.joined(separator: ", ")
      }
      return "Index(\(texts.joined(separator: "; ")))"
    }

    /// The keys of a coded index.
    public enum CodingKeys: String, CodingKey {
      /// The indexes, with the stored names of the properties.
      case indices
    }

    /// Reads the indexes, and finds the properties of the class.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let declared: [DeclaredIndex]
      if let names = try? container.decode([[String]].self, forKey: .indices) {
        declared = names.map { DeclaredIndex(elements: $0.map { .init(subject: $0) }) }
      } else {
        declared = try container.decode([DeclaredIndex].self, forKey: .indices)
      }
      indices = declared.compactMap { Types($0) }
      coded = declared
    }

    /// Writes the indexes with the stored names of their properties.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(try declarations(), forKey: .indices)
    }
  }
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

extension DeclaredIndex {
  private static let binary = "binary"
  private static let region = "rtree"

  /// The form of `Schema.Entity.indices`.
  var kindAndNames: [String] { [elements.contains(where: \.isRegion) ? Self.region : Self.binary] + names }

  /// One name is that of a property, even if it is also that of a kind.
  init(kindAndNames: [String]) {
    let kind = kindAndNames.count > 1 ? kindAndNames.first : nil
    let hasKind = kind == Self.binary || kind == Self.region
    elements = kindAndNames.dropFirst(hasKind ? 1 : 0).map { Element(subject: $0, isRegion: kind == Self.region) }
  }
}

extension Schema.Index: IndexDeclaration {
  func declarations() throws -> [DeclaredIndex] {
    if let coded { return coded }
    let model = ModelClass.of(T.self)
    return try indices.map { type in
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

extension Schema.Index.Types {
  /// A decoded index; `nil` if the class has no property of its own for one of its elements.
  fileprivate init?(_ declared: DeclaredIndex) {
    let model = ModelClass.of(P.self)
    let elements = declared.elements.compactMap { Schema.IndexElement<P>($0, of: model) }
    guard elements.count == declared.elements.count else { return nil }
    if let name = declared.name {
      self = .named(name, elements, where: declared.predicate)
      return
    }
    let keyPaths = elements.compactMap(\.keyPath)
    self = declared.elements.contains(where: \.isRegion) ? .rtree(keyPaths) : .binary(keyPaths)
  }
}

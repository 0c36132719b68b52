extension Schema {
  /// Properties whose values together are unique among the objects of a class; declared by `#Unique`. Apple: `Schema.Unique`.
  public final class Unique<T: PersistentModel>: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    /// The properties of each constraint.
    ///
    /// A decoded constraint on an inherited property, or on an element of a value, is enforced, although it is missing in
    /// this list.
    public let constraints: [[PartialKeyPath<T>]]
    /// Stored names of a decoded constraint's properties.
    private let codedNames: [[String]]?
    /// Not used by a constraint.
    public var name = "Unique"
    /// Not used by a constraint.
    public var originalName = "Unique"
    /// Not used by a constraint.
    public var valueType: any Any.Type = T.self

    /// Apple: `Schema.Unique.init(_:)`.
    public init(_ constraints: [PartialKeyPath<T>]...) {
      self.constraints = constraints
      codedNames = nil
    }

    /// `true`.
    public var isUnique: Bool { true }

    /// Whether both name the same properties.
    public static func == (left: Unique, right: Unique) -> Bool {
      guard let one = try? left.names(), let other = try? right.names() else {
        return left.constraints == right.constraints
      }
      return one == other
    }

    /// Hashes the properties.
    public func hash(into hasher: inout Hasher) { hasher.combine(try? names()) }

    /// The names of the properties.
    public var debugDescription: String {
      let names = (try? names()) ?? constraints.map { $0.map { SwiftData.sketch($0) } }
      return "Unique(\(names.map { $0.joined(separator: ", ") }.joined(separator: "; ")))"
    }

    /// The keys of a coded constraint.
    public enum CodingKeys: String, CodingKey {
      /// The stored names of the properties, per constraint.
      case constraints
    }

    /// Reads the names, and finds the properties of the class.
    public init(from decoder: any Decoder) throws {
      let names = try decoder.container(keyedBy: CodingKeys.self).decode([[String]].self, forKey: .constraints)
      let model = ModelClass.of(T.self)
      constraints = names.compactMap { names in
        let paths = names.compactMap { model.property(stored: $0)?.keyPath as? PartialKeyPath<T> }
        return paths.count == names.count ? paths : nil
      }
      codedNames = names
    }

    /// Writes the names.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(try names(), forKey: .constraints)
    }
  }
}

/// `Schema.Unique` of any model.
protocol UniquenessConstraint {
  /// Stored names of properties per constraint.
  func names() throws -> [[String]]
}

extension Schema.Unique: UniquenessConstraint {
  func names() throws -> [[String]] {
    if let codedNames { return codedNames }
    let model = ModelClass.of(T.self)
    return try constraints.map { try $0.map { try model.storedPath(of: $0) } }
  }
}

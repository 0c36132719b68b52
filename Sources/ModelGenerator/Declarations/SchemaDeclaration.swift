/// The namespace of one version: `enum LibrarySchemaV1: VersionedSchema`.
struct SchemaDeclaration: Sendable, Hashable {
  var comments: [String]
  var name: String
  /// The first number of `Schema.Version(n, 0, 0)`.
  var versionNumber: Int
  var classes: [ClassDeclaration]
  var composites: [StructDeclaration]
}

/// A composite attribute's type: a `Codable` structure.
struct StructDeclaration: Sendable, Hashable {
  var comments: [String]
  var name: String
  var properties: [PropertyDeclaration]
  /// Persistent names in the order of the properties; empty if every property is spelled as it is stored.
  var codingKeys: [CodingKey]
  /// Whether its elements are stored exactly as they are declared (`@Composite`), not as SwiftData stores structures.
  var isExact = false

  struct CodingKey: Sendable, Hashable {
    var name: String
    var persistentName: String
  }
}

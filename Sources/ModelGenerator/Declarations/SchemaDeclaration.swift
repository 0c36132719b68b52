/// The namespace of one version: `enum LibrarySchemaV1: VersionedSchema`.
struct SchemaDeclaration: Sendable, Hashable {
  var comments: [String]
  var name: String
  /// The first number of `Schema.Version(n, 0, 0)`.
  var versionNumber: Int
  var classes: [ClassDeclaration]
  var composites: [StructDeclaration]
  /// The fetches that the model states, for our own module.
  var fetchRequests: [Expression] = []
  /// The named parts of the model, for our own module.
  var configurations: [Expression] = []
  /// Makers of fetch descriptors and configurations.
  var functions: [FunctionDeclaration] = []
}

/// A static function of the namespace.
struct FunctionDeclaration: Sendable, Hashable {
  var comments: [String]
  var name: String
  var parameters: [InitializerDeclaration.Parameter]
  var isThrowing = false
  var result: String
  /// Lines of the body, rendered.
  var body: [String]
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
  /// The composite type's name in the model, where Swift spells it in another way.
  var storedName: String?

  struct CodingKey: Sendable, Hashable {
    var name: String
    var persistentName: String
  }
}

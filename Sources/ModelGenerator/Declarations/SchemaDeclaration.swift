/// The namespace of one version: `enum LibrarySchemaV1: VersionedSchema`.
struct SchemaDeclaration: Sendable, Hashable {
  var comments: [String]
  var name: String
  /// The first number of `Schema.Version(n, 0, 0)`.
  var versionNumber: Int
  var classes: [ClassDeclaration]
  var composites: [StructDeclaration]
  var enumerations: [EnumDeclaration] = []
  /// The model's fetch requests, for this package's module.
  var fetchRequests: [Expression] = []
  /// The model's configurations, for this package's module.
  var configurations: [Expression] = []
  /// Functions that make fetch descriptors and configurations.
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
  /// The persistent names in the order of the properties; empty if every property has its persistent name.
  var codingKeys: [CodingKey]
  /// Whether the structure is a `@Composite`. Its elements are stored exactly as declared; SwiftData's own form
  /// differs.
  var isExact = false
  /// The composite type's name in the model; `nil` if the Swift name is the same.
  var storedName: String?

  struct CodingKey: Sendable, Hashable {
    var name: String
    var persistentName: String
  }
}

/// An enumeration of texts: its cases have the labels as raw values.
struct EnumDeclaration: Sendable, Hashable {
  var name: String
  var cases: [Case]

  struct Case: Sendable, Hashable {
    var name: String
    var label: String
  }
}

import ManagedModel

extension AttributeType {
  /// The type's name in a model's XML.
  var modelName: String {
    switch self {
    case .undefined: "Undefined"
    case .integer16: "Integer 16"
    case .integer32: "Integer 32"
    case .integer64: "Integer 64"
    case .decimal: "Decimal"
    case .double: "Double"
    case .float: "Float"
    case .string: "String"
    case .boolean: "Boolean"
    case .date: "Date"
    case .binary: "Binary"
    case .uuid: "UUID"
    case .uri: "URI"
    case .transformable: "Transformable"
    case .objectID: "Object ID"
    case .composite: "Composite"
    }
  }

  init?(modelName: String) {
    guard let type = Self.byModelName[modelName] else { return nil }
    self = type
  }

  /// The name with its article, for messages.
  var article: String {
    ("AEIOU".contains(modelName.prefix(1)) && self != .uri && self != .uuid ? "an " : "a ") + modelName
  }

  private static let byModelName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.modelName, $0) })
}

import ManagedModel

extension AttributeType {
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

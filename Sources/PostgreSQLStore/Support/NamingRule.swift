/// How the names of tables and columns are made from the names of entities and properties.
package enum NamingRule: String, Sendable, Hashable {
  /// `publishedOn` is `published_on`, `URLString` is `url_string`.
  case snakeCase
  /// As the model spells them.
  case asSpelled

  package func name(_ modelName: String) -> String {
    switch self {
    case .asSpelled: modelName
    case .snakeCase: Self.snakeCase(modelName)
    }
  }

  /// Separates words before a capital that follows a small letter or a digit, or precedes a small letter.
  static func snakeCase(_ name: String) -> String {
    let letters = Array(name)
    var result = ""
    for (index, letter) in letters.enumerated() {
      if letter.isUppercase, index > 0, letters[index - 1] != "_" {
        let followsSmall = !letters[index - 1].isUppercase
        let precedesSmall = index + 1 < letters.count && letters[index + 1].isLowercase
        if followsSmall || precedesSmall { result += "_" }
      }
      result += letter.lowercased()
    }
    return result
  }
}

import StoreRequests

extension QueryPrinter {
  /// For a test whether a text begins with a constant: the ranges of bytes that begin with a form of the constant.
  ///
  /// The test implies them, so they may stand beside it, and an index can serve them. Empty for other expressions.
  mutating func prefixRange(_ expression: FetchExpression) throws -> [String] {
    guard case .string(let function, let arguments) = expression, arguments.count == 2,
      case .attribute(let path, _, _) = arguments[0], path.castTo == nil, try isText(arguments[0]),
      case .constant(.text(let text)) = arguments[1]
    else { return [] }
    let prefix: String
    switch function {
    case .starts: prefix = text
    case .like: prefix = StringFunctions.literalPrefix(ofPattern: text)
    default: return []
    }
    // With few forms, searching for each costs less than reading all rows.
    guard !prefix.isEmpty, let forms = CanonicalText.forms(of: prefix), forms.count <= 8 else { return [] }
    var ranges: [String] = []
    for form in forms.sorted() {
      guard let end = CanonicalText.following(prefix: form) else { return [] }
      let lower = try "\(value(arguments[0])) >= \(placeholder(.text(form)))"
      ranges.append(try "\(lower) AND \(value(arguments[0])) < \(placeholder(.text(end)))")
    }
    return ranges.count == 1 ? ranges : ["(" + ranges.map { "(\($0))" }.joined(separator: " OR ") + ")"]
  }
}

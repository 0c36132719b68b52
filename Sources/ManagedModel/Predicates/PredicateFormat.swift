extension PredicateTree {
  /// The predicate in `NSPredicate`'s format. Booleans are `true` and `false`, so that they differ from numbers.
  package var format: String {
    switch self {
    case .comparison(let left, let relation, let right, let modifier, let options):
      "\(modifier.prefix)\(left.format) \(relation.symbol)\(options.suffix) \(right.format)"
    case .and(let parts): parts.map(\.operand).joined(separator: " AND ")
    case .or(let parts): parts.map(\.operand).joined(separator: " OR ")
    case .not(let part): "NOT \(part.operand)"
    case .value(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    }
  }

  private var operand: String {
    switch self {
    case .comparison, .value: format
    case .and, .or, .not: "(\(format))"
    }
  }
}

extension ExpressionTree {
  /// The expression in `NSExpression`'s format.
  package var format: String {
    switch self {
    case .evaluatedObject: return "SELF"
    case .null: return "nil"
    case .boolean(let value): return value ? "true" : "false"
    case .integer(let value): return "\(value)"
    case .real(let value): return "\(value)"
    case .string(let text):
      let scalars = text.unicodeScalars.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
      return "\"" + String(String.UnicodeScalarView(scalars)) + "\""
    case .date(let seconds): return "CAST(\(seconds), \"NSDate\")"
    case .variable(let name): return "$\(name)"
    case .keyPath(.evaluatedObject, let path): return path
    case .keyPath(let base, let path): return "\(base.operand).\(path)"
    case .function(let name, let arguments):
      if let symbol = Self.arithmetic.first(where: { $0.function == name })?.symbol, arguments.count == 2 {
        return "\(arguments[0].operand) \(symbol) \(arguments[1].operand)"
      }
      return "\(name)(\(arguments.map(\.format).joined(separator: ", ")))"
    case .subquery(let collection, let variable, let predicate):
      return "SUBQUERY(\(collection.format), $\(variable), \(predicate.format))"
    case .list(let items): return "{\(items.map(\.format).joined(separator: ", "))}"
    }
  }

  /// The expression of a derived attribute as a model's author writes it: `pages.@count` for `count:(pages)`.
  package var derivationText: String {
    if case .function("count:", let arguments) = self, arguments.count == 1,
      case .keyPath(.evaluatedObject, let path) = arguments[0]
    {
      return path + ".@count"
    }
    return format
  }

  private var operand: String {
    if case .function(let name, _) = self, Self.arithmetic.contains(where: { $0.function == name }) {
      return "(\(format))"
    }
    return format
  }
}

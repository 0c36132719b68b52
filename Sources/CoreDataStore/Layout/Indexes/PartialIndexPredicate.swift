import ManagedModel
import SQLite

/// Translates the predicates of partial indexes to SQL: comparisons with constants, joined by AND and OR (CD-4).
enum PartialIndexPredicate {
  /// No model has a longer predicate. SQLite limits the depth of an expression.
  private static let lengthLimit = 10_000

  /// The condition in SQL, or `nil` if the format is anything else.
  ///
  /// - Parameter column: the column of a property path; `nil` makes the whole predicate untranslatable.
  static func sql(_ format: String, column: (String) -> Identifier?) -> String? {
    guard format.utf8.count <= lengthLimit else { return nil }
    return PredicateParser.predicate(format).flatMap { sql($0, column) }
  }

  private static func sql(_ tree: PredicateTree, _ column: (String) -> Identifier?) -> String? {
    switch tree {
    case .and(let parts): return joined(parts, "AND", column)
    case .or(let parts): return joined(parts, "OR", column)
    case .comparison(.keyPath(of: .evaluatedObject, let path), let relation, let constant, .direct, []):
      guard let column = column(path) else { return nil }
      if constant == .null {
        switch relation {
        case .equal: return "\(column) IS NULL"
        case .notEqual: return "\(column) IS NOT NULL"
        default: return nil
        }
      }
      guard let symbol = symbol(of: relation), let literal = literal(constant) else { return nil }
      return "\(column) \(symbol) \(literal)"
    case .comparison, .not, .value: return nil
    }
  }

  private static func joined(
    _ parts: [PredicateTree], _ joiner: String, _ column: (String) -> Identifier?
  ) -> String? {
    let conditions = parts.compactMap { sql($0, column) }
    guard conditions.count == parts.count else { return nil }
    return "(" + conditions.joined(separator: " \(joiner) ") + ")"
  }

  private static func symbol(of relation: PredicateTree.Operator) -> String? {
    switch relation {
    case .equal: "="
    case .notEqual: "<>"
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: relation.symbol
    default: nil
    }
  }

  private static func literal(_ constant: ExpressionTree) -> String? {
    switch constant {
    case .integer(let number): "\(number)"
    // SQL has no literal for infinity.
    case .real(let number): number.isFinite ? "\(number)" : nil
    case .boolean(let value): value ? "1" : "0"
    case .string(let text): Identifier.literal(text)
    default: nil
    }
  }
}

/// A predicate as a tree: the form between `NSPredicate`'s archived objects and its format string.
package indirect enum PredicateTree: Hashable, Sendable {
  case comparison(ExpressionTree, Operator, ExpressionTree, Modifier, Options)
  case and([PredicateTree])
  case or([PredicateTree])
  case not(PredicateTree)
  case value(Bool)

  /// `NSComparisonPredicate.Operator`.
  package enum Operator: Int, CaseIterable, Sendable {
    case lessThan = 0
    case lessThanOrEqual = 1
    case greaterThan = 2
    case greaterThanOrEqual = 3
    case equal = 4
    case notEqual = 5
    case matches = 6
    case like = 7
    case beginsWith = 8
    case endsWith = 9
    case `in` = 10
    case contains = 99
    case between = 100

    package var symbol: String {
      switch self {
      case .lessThan: "<"
      case .lessThanOrEqual: "<="
      case .greaterThan: ">"
      case .greaterThanOrEqual: ">="
      case .equal: "=="
      case .notEqual: "!="
      case .matches: "MATCHES"
      case .like: "LIKE"
      case .beginsWith: "BEGINSWITH"
      case .endsWith: "ENDSWITH"
      case .in: "IN"
      case .contains: "CONTAINS"
      case .between: "BETWEEN"
      }
    }
  }

  /// `NSComparisonPredicate.Modifier`.
  package enum Modifier: Int, Sendable {
    case direct = 0
    case all = 1
    case any = 2

    package var prefix: String {
      switch self {
      case .direct: ""
      case .all: "ALL "
      case .any: "ANY "
      }
    }
  }

  /// `NSComparisonPredicate.Options`: case, diacritics, normalized, locale.
  package struct Options: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let letters: [(letter: Character, option: Options)] = [
      ("c", Options(rawValue: 1)), ("d", Options(rawValue: 2)), ("n", Options(rawValue: 4)),
      ("l", Options(rawValue: 8)),
    ]

    package var suffix: String {
      let letters = Self.letters.filter { contains($0.option) }.map(\.letter)
      return letters.isEmpty ? "" : "[\(String(letters))]"
    }
  }
}

/// An expression as a tree.
package indirect enum ExpressionTree: Hashable, Sendable {
  case evaluatedObject
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  case string(String)
  /// Seconds since 2001-01-01T00:00:00Z.
  case date(Double)
  case variable(String)
  case keyPath(of: ExpressionTree, String)
  case function(String, [ExpressionTree])
  case list([ExpressionTree])
  /// The objects of a collection that satisfy a predicate. The predicate refers to each object by the variable's name.
  case subquery(of: ExpressionTree, variable: String, PredicateTree)

  /// The property names of a key path, without a `SELF` at its beginning.
  package static func components(of path: String) -> [String] {
    let names = path.split(separator: ".").map(String.init)
    return names.count > 1 && names[0].uppercased() == "SELF" ? Array(names.dropFirst()) : names
  }

  /// The operators that `NSExpression` represents as functions of two operands.
  package static let arithmetic: [(symbol: String, function: String)] = [
    ("+", "add:to:"), ("-", "from:subtract:"), ("*", "multiply:by:"), ("/", "divide:by:"),
  ]
}

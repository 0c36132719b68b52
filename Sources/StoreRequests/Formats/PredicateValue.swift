package import Foundation
package import ManagedModel

/// A value in a predicate of `NSPredicate`'s format: a column's value, an object, or a list.
package indirect enum PredicateValue<Object: Hashable & Sendable>: Hashable, Sendable {
  case stored(StoreValue)
  case object(Object)
  case list([PredicateValue])

  package static var null: PredicateValue { .stored(.null) }

  package static func boolean(_ value: Bool) -> PredicateValue { .stored(.integer(value ? 1 : 0)) }

  package var isNull: Bool { self == .null }

  package var text: String? { if case .stored(.text(let text)) = self { text } else { nil } }

  package var number: Double? {
    switch self {
    case .stored(.integer(let number)): Double(number)
    case .stored(.real(let number)): number
    default: nil
    }
  }

  /// The members of a list; for another value that value alone, for `nil` none.
  package var items: [PredicateValue] { if case .list(let items) = self { items } else { isNull ? [] : [self] } }

  // MARK: Comparisons

  /// The order of two values; `nil` for values of different kinds, and if one is `nil`.
  package func compared(to other: PredicateValue) -> ComparisonResult? {
    func order<Value: Comparable>(_ left: Value, _ right: Value) -> ComparisonResult {
      left < right ? .orderedAscending : left > right ? .orderedDescending : .orderedSame
    }
    if case .stored(.integer(let left)) = self, case .stored(.integer(let right)) = other { return order(left, right) }
    if let left = number, let right = other.number { return order(left, right) }
    if let left = text, let right = other.text {
      let result = CanonicalText.order(left, right)
      return result < 0 ? .orderedAscending : result > 0 ? .orderedDescending : .orderedSame
    }
    return nil
  }

  /// Whether two values are equal; `nil` equals `nil`.
  package func equals(_ other: PredicateValue) -> Bool { self == other || compared(to: other) == .orderedSame }

  /// Whether a comparison is true of two values, or of all or any members of a list and a value.
  ///
  /// - Throws: ``FormatError`` for a pattern that is no regular expression.
  package func holds(
    _ relation: PredicateTree.Operator, _ right: PredicateValue, _ modifier: PredicateTree.Modifier,
    _ options: PredicateTree.Options
  ) throws -> Bool {
    switch modifier {
    case .direct: try holds(relation, right, options)
    case .any: try items.contains { try $0.holds(relation, right, options) }
    case .all: try items.allSatisfy { try $0.holds(relation, right, options) }
    }
  }

  private func holds(
    _ relation: PredicateTree.Operator, _ right: PredicateValue, _ options: PredicateTree.Options
  ) throws -> Bool {
    if relation == .matches {
      guard let text, let pattern = right.text else { return false }
      try StringFunctions.check(pattern: pattern)
      return StringFunctions.matches(text, pattern, ignoring: options.ignored)
    }
    let left = folded(options)
    let right = right.folded(options)
    switch relation {
    case .equal: return left.equals(right)
    case .notEqual: return !left.equals(right)
    case .lessThan: return left.compared(to: right) == .orderedAscending
    case .lessThanOrEqual: return left.compared(to: right).map { $0 != .orderedDescending } ?? false
    case .greaterThan: return left.compared(to: right) == .orderedDescending
    case .greaterThanOrEqual: return left.compared(to: right).map { $0 != .orderedAscending } ?? false
    case .in: return right.includes(left)
    case .contains: return left.includes(right)
    case .between:
      guard case .list(let bounds) = right, bounds.count == 2 else { return false }
      return left.compared(to: bounds[0]).map { $0 != .orderedAscending } ?? false
        && left.compared(to: bounds[1]).map { $0 != .orderedDescending } ?? false
    case .beginsWith: return left.test(right) { StringFunctions.starts($0, with: $1) }
    case .endsWith: return left.test(right) { StringFunctions.ends($0, with: $1) }
    case .like, .matches: return left.test(right) { StringFunctions.like($0, $1) }
    }
  }

  private func includes(_ part: PredicateValue) -> Bool {
    if case .list(let items) = self { return items.contains { $0.equals(part) } }
    return test(part) { StringFunctions.contains($0, $1) }
  }

  private func test(_ other: PredicateValue, _ body: (String, String) -> Bool) -> Bool {
    guard let left = text, let right = other.text else { return false }
    return body(left, right)
  }

  /// The value, in texts without the case or diacritics that the options ignore.
  package func folded(_ options: PredicateTree.Options) -> PredicateValue {
    guard !options.ignored.isEmpty else { return self }
    switch self {
    case .stored(.text(let text)): return .stored(.text(StringFunctions.folded(text, options.ignored)))
    case .list(let items): return .list(items.map { $0.folded(options) })
    default: return self
    }
  }
}

extension PredicateTree.Options {
  /// The differences of texts that comparisons with these options ignore.
  package var ignored: String.CompareOptions {
    var ignored: String.CompareOptions = []
    for (letter, option) in Self.letters where contains(option) {
      if letter == "c" { ignored.insert(.caseInsensitive) }
      if letter == "d" { ignored.insert(.diacriticInsensitive) }
    }
    return ignored
  }
}

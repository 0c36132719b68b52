internal import Foundation

/// The order of sort descriptors, for sorting in memory.
///
/// Foundation on Linux compares as a descriptor was made: a later change of its `order` does not reach its comparator. So
/// this order compares the values itself and follows `order`, as the store does.
struct DescriptorOrder<Compared> {
  private let comparisons: [(Compared, Compared) -> ComparisonResult]

  init(_ sorts: [SortDescriptor<Compared>]) { comparisons = sorts.map(Self.comparison) }

  /// Compares two values; values that compare as equal have no order.
  func callAsFunction(_ left: Compared, _ right: Compared) -> ComparisonResult {
    for comparison in comparisons {
      let result = comparison(left, right)
      if result != .orderedSame { return result }
    }
    return .orderedSame
  }

  private static func comparison(of sort: SortDescriptor<Compared>) -> (Compared, Compared) -> ComparisonResult {
    #if !canImport(Darwin)
      if let keyPath = sort.comparedKeyPath {
        let type = type(of: keyPath).valueType
        let isForward = sort.order == .forward
        if let type = type as? any Comparable.Type, let result = comparison(keyPath, type, isForward) { return result }
        let wrapped = (type as? any OptionalType.Type)?.wrappedType as? any Comparable.Type
        if let wrapped, let result = comparison(keyPath, optional: wrapped, isForward) { return result }
      }
    #endif
    return sort.compare
  }

  private static func comparison<Value: Comparable>(
    _ keyPath: PartialKeyPath<Compared>, _: Value.Type, _ isForward: Bool
  ) -> ((Compared, Compared) -> ComparisonResult)? {
    guard let keyPath = keyPath as? KeyPath<Compared, Value> else { return nil }
    let compare = valueComparison(of: Value.self)
    return { left, right in
      let (first, second) = (left[keyPath: keyPath], right[keyPath: keyPath])
      return isForward ? compare(first, second) : compare(second, first)
    }
  }

  /// `nil` comes first.
  private static func comparison<Value: Comparable>(
    _ keyPath: PartialKeyPath<Compared>, optional _: Value.Type, _ isForward: Bool
  ) -> ((Compared, Compared) -> ComparisonResult)? {
    guard let keyPath = keyPath as? KeyPath<Compared, Value?> else { return nil }
    let compare = valueComparison(of: Value.self)
    return { left, right in
      let values = (left[keyPath: keyPath], right[keyPath: keyPath])
      guard let first = values.0, let second = values.1 else {
        if (values.0 == nil) == (values.1 == nil) { return .orderedSame }
        return (values.0 == nil) == isForward ? .orderedAscending : .orderedDescending
      }
      return isForward ? compare(first, second) : compare(second, first)
    }
  }
}

/// Compares by `<`, but for sort keys of texts: their `<` is Foundation's slow comparison, and would be called twice.
private func valueComparison<Value: Comparable>(of type: Value.Type) -> (Value, Value) -> ComparisonResult {
  if let key = type as? any TextSortKey.Type, let compare = key.comparison as? (Value, Value) -> ComparisonResult {
    return compare
  }
  return { $0 < $1 ? .orderedAscending : $1 < $0 ? .orderedDescending : .orderedSame }
}

extension TextSortKey {
  fileprivate static var comparison: Any { { (left: Self, right: Self) in compare(left.text, right.text) } }
}

extension Sequence {
  /// The elements in the order of sort descriptors; elements that compare as equal keep their order.
  func sorted(by order: DescriptorOrder<Element>) -> [Element] { sorted { order($0, $1) == .orderedAscending } }
}

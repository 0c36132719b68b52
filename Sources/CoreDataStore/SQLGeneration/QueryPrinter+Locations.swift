import SQLite
import StoreRequests

extension QueryPrinter {
  /// Tests that the location index has the row within the bounds, for a predicate that bounds the columns of the index.
  ///
  /// The index rounds outwards, so the predicate implies the test, and has to stand beside it. Empty for other
  /// predicates.
  mutating func locationTest(_ predicate: FetchExpression, on row: Row) throws -> [String] {
    guard layout.locationIndexes.contains(where: { $0.table == row.entity.table }) else { return [] }
    let bounds = try bounds(in: predicate, on: row.entity)
    var best: (index: LocationIndexLayout, bounds: [Bound])?
    for index in layout.locationIndexes where index.table == row.entity.table {
      let usable = bounds.filter { index.columns.contains($0.column) }
      // A single bound leaves too many rows for the index to be useful.
      if usable.count > max(1, best?.bounds.count ?? 0) { best = (index, usable) }
    }
    guard let (index, usable) = best else { return [] }
    let tests = usable.map { bound in
      let column = bound.isLower ? index.maximum(of: bound.column) : index.minimum(of: bound.column)
      return "\(column) \(bound.isLower ? ">=" : "<=") \(placeholder(bound.value))"
    }
    return ["\(row.column("Z_PK")) IN (SELECT Z_PK FROM \(index.name) WHERE \(tests.joined(separator: " AND ")))"]
  }

  private struct Bound {
    let column: Identifier
    let isLower: Bool
    let value: StoreValue
  }

  /// The constants between which the whole predicate keeps columns of the fetched row.
  private func bounds(in predicate: FetchExpression, on entity: EntityLayout) throws -> [Bound] {
    switch predicate {
    case .and(let terms): return try terms.flatMap { try bounds(in: $0, on: entity) }
    case .comparison(let comparison, .attribute(let path, let name, let element), .constant(let value)):
      guard path == FetchPath(), value.isNumber else { return [] }
      let column = try layout.attributeColumn(name, element: element, of: entity).name
      let (lower, upper) = comparison.bounds
      return (lower ? [Bound(column: column, isLower: true, value: value)] : [])
        + (upper ? [Bound(column: column, isLower: false, value: value)] : [])
    case .comparison(let comparison, let constant, let attribute):
      guard case .constant = constant, case .attribute = attribute else { return [] }
      return try bounds(in: .comparison(comparison.swapped, attribute, constant), on: entity)
    default: return []
    }
  }
}

extension StoreValue {
  fileprivate var isNumber: Bool {
    switch self {
    case .integer: true
    case .real(let value): !value.isNaN
    default: false
    }
  }
}

extension FetchExpression.Comparison {
  /// Whether the comparison is a lower bound of its left side, and whether it is an upper bound.
  fileprivate var bounds: (lower: Bool, upper: Bool) {
    switch self {
    case .equal: (true, true)
    case .greater, .greaterOrEqual: (true, false)
    case .less, .lessOrEqual: (false, true)
    case .notEqual: (false, false)
    }
  }
}

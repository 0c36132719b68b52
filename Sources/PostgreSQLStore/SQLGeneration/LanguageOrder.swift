import Foundation
import PostgreSQL
import StoreRequests

/// An order by a language's rules. The server's collations have other rules, so memory compares the texts.
///
/// Besides the rows, the server selects the values that memory compares. For a term with such rules, this is the text. For another term
/// before it, this is the rank of the row. The server sorts by the remaining terms, and memory keeps this order among equal rows.
struct LanguageOrder {
  /// The terms up to the last one with a language's rules.
  private let compared: [SortTerm]
  /// The terms by which the server sorts.
  let remaining: [SortTerm]

  /// - Returns: `nil` if no term follows a language's rules.
  init?(_ terms: [SortTerm]) {
    guard let last = terms.lastIndex(where: { $0.collation != .binary }) else { return nil }
    compared = Array(terms[...last])
    remaining = Array(terms[(last + 1)...])
  }

  /// SQL for the values that memory compares.
  ///
  /// - Throws: ``QueryPrinter/Undecidable`` if the server does not have them.
  func columns(_ printer: inout QueryPrinter) throws -> [String] {
    try compared.map { term in
      guard term.collation != .binary else { return "rank() OVER (ORDER BY \(try term.sql(&printer)))" }
      let known = printer.doubts.count
      let value = try printer.value(term.expression)
      guard value.kind == .text, printer.doubts.count == known else { throw QueryPrinter.Undecidable() }
      return value.sql
    }
  }

  /// The rows of a result in this order, from an offset up to a limit. The last columns of the result are ``columns(_:)``.
  ///
  /// Cost: some comparisons for each row, and a sort of the wanted ones.
  func rows(of result: QueryResult, limit: Int? = nil, offset: Int? = nil) -> [Int] {
    let first = result.columnCount - compared.count
    let comparisons = compared.enumerated().map { $1.comparison(of: result, column: first + $0) }
    func isBefore(_ left: Int, _ right: Int) -> Bool {
      for comparison in comparisons {
        let order = comparison(left, right)
        if order != .orderedSame { return order == .orderedAscending }
      }
      return false
    }
    let rows = Array(0..<result.rowCount)
    let skipped = min(max(0, offset ?? 0), rows.count)
    let count = limit.map { $0 < 0 ? rows.count : min($0, rows.count - skipped) } ?? rows.count
    return Array(rows.sortedPrefix(min(skipped + count, rows.count), from: skipped, by: isBefore).dropFirst(skipped))
  }
}

extension SortTerm {
  /// Compares two rows of a result by their values in a column; `NULL` is before all values.
  fileprivate func comparison(of result: QueryResult, column: Int) -> (Int, Int) -> ComparisonResult {
    let compare: (String, String) -> ComparisonResult
    switch collation {
    case .binary:
      let ranks = (0..<result.rowCount).map { result.integer($0, column) }
      return { ranks[$0] < ranks[$1] ? .orderedAscending : ranks[$0] > ranks[$1] ? .orderedDescending : .orderedSame }
    case .localizedStandard: compare = StringFunctions.localizedStandardCompare
    case .localized: compare = StringFunctions.localizedCompare
    }
    let texts = (0..<result.rowCount).map { result.text($0, column) }
    let isAscending = isAscending
    return { left, right in
      let (one, other) = isAscending ? (texts[left], texts[right]) : (texts[right], texts[left])
      guard let one, let other else {
        return (one == nil) == (other == nil) ? .orderedSame : one == nil ? .orderedAscending : .orderedDescending
      }
      return compare(one, other)
    }
  }
}

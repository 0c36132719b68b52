import PostgreSQL
import StoreRequests

/// Which rows a batch change concerns, in SQL.
///
/// The server may decide about a condition only in part; see ``QueryPrinter``. The change is then for the rows for which the condition is
/// certainly true. Before it, a statement looks for a row about which the server cannot decide.
struct BatchCondition {
  /// Of the rows to change.
  let terms: [String]
  /// Of the rows about which the server cannot decide; `nil` if it decides about all.
  private let doubtful: [String]?

  init(_ selection: BatchSelection, on row: QueryPrinter.Row, _ printer: inout QueryPrinter) throws {
    func print(_ bound: QueryPrinter.Bound) throws -> [String] {
      try printer.conditions(
        selection.predicate, on: row, includesSubentities: selection.includesSubentities, bound)
    }
    let possible = try print(.possible)
    guard !printer.isExact else {
      terms = possible
      doubtful = nil
      return
    }
    let certain = try "(\(print(.certain).joined(separator: " AND ")))"
    // An index may serve a term of the possible rows.
    terms = possible + [certain]
    doubtful = possible + ["\(certain) IS NOT TRUE"]
  }

  /// Returns a row if there is one about which the server cannot decide; `nil` if it decides about all.
  func doubt(from source: String, _ parameters: [Parameter]) -> SelectStatement? {
    doubtful.map {
      SelectStatement(
        sql: "SELECT 1\nFROM \(source)\(SelectStatement.filter($0))\nLIMIT 1", parameters: parameters)
    }
  }
}

import PostgreSQL
import StoreRequests

/// Which rows a batch change concerns, in SQL.
///
/// The server cannot decide some conditions for each row; see ``QueryPrinter``. The change then selects the rows that certainly meet the
/// condition. A statement before it looks for a row about which the server cannot decide.
struct BatchCondition {
  /// Of the rows to change.
  let terms: [String]
  /// Of the rows about which the server cannot decide; `nil` if it decides about all.
  private let doubtful: [String]?

  init(_ selection: BatchSelection, on row: QueryPrinter.Row, _ printer: inout QueryPrinter) throws {
    let possible = try printer.conditions(
      selection.predicate, on: row, includesSubentities: selection.includesSubentities)
    guard !printer.isExact else {
      terms = possible
      doubtful = nil
      return
    }
    let certain = try "(\(printer.terms(of: selection.predicate, .certain).joined(separator: " AND ")))"
    // An index may serve a term of the possible rows.
    terms = possible + [certain]
    doubtful = possible + ["\(certain) IS NOT TRUE"]
  }

  /// A statement that returns a row if the server cannot decide about some row; `nil` if it decides about all.
  func doubt(from source: String, _ parameters: [Parameter]) -> SelectStatement? {
    doubtful.map {
      SelectStatement(
        sql: "SELECT 1\nFROM \(source)\(SelectStatement.filter($0))\nLIMIT 1", parameters: parameters)
    }
  }
}

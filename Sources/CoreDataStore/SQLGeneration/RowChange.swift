import SQLite

/// A statement that changes all rows of a condition, and the query of a row that it has left as it was.
///
/// A trigger of another program may skip rows without an error, by `RAISE(IGNORE)`. The condition must not hold for changed rows.
struct RowChange: Hashable {
  let sql: String
  /// → a row if the statement has skipped a row.
  let skipped: String

  static func delete(from table: Identifier, where condition: String) -> RowChange {
    RowChange(
      sql: "DELETE FROM \(table) WHERE \(condition)", skipped: "SELECT 1 FROM \(table) WHERE \(condition) LIMIT 1")
  }

  /// - Parameter alias: the table's name in the condition; `nil` for its own.
  static func update(
    _ table: Identifier, as alias: String? = nil, set assignments: String, where condition: String
  ) -> RowChange {
    let named = "\(table)" + (alias.map { " AS \($0)" } ?? "")
    return RowChange(
      sql: "UPDATE \(named) SET \(assignments) WHERE \(condition)",
      skipped: "SELECT 1 FROM \(named) WHERE \(condition) LIMIT 1")
  }
}

extension Sequence<Catalogue.Definition> {
  /// Whether a trigger may skip rows without an error.
  var maySkipRows: Bool {
    contains { $0.kind == "trigger" && ($0.sql ?? "").uppercased().contains("IGNORE") }
  }
}

import SQLite
import StoreRequests

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
  var maySkipRows: Bool { contains(where: \.maySkipRows) }
}

extension Catalogue.Definition {
  fileprivate var maySkipRows: Bool { kind == "trigger" && (sql ?? "").uppercased().contains("IGNORE") }
}

extension Connection {
  /// Checks that the last statement has written rows of the store's books: its counters of keys, or its history.
  ///
  /// - Throws: ``SaveError/ignoredBooks(table:triggers:)``
  func requireWritten(_ count: Int, to table: Identifier) throws {
    guard changes < count else { return }
    let triggers = try Catalogue.definitions(self).filter {
      $0.maySkipRows && $0.table.lowercased() == table.name.lowercased()
    }
    throw SaveError.ignoredBooks(table: table.name, triggers: triggers.map(\.name))
  }
}

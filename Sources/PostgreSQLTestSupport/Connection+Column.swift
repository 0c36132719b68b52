package import PostgreSQL

extension Connection {
  /// The first column of a query as text, with `NULL` for no value.
  package func column(_ sql: String, _ parameters: [Parameter] = []) throws -> [String] {
    let rows = try run(sql, parameters)
    return (0..<rows.rowCount).map { rows.text($0, 0) ?? "NULL" }
  }
}

import PostgreSQL

extension TableLayout {
  /// The name of the `CHECK` that demands a value of a column in rows of some entities. The server's error names it.
  func checkName(of column: Identifier) -> Identifier {
    Identifier(shortening: "\(name.name)_\(column.name)_check")
  }
}

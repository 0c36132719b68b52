extension Connection {
  /// A pragma's value as text; `nil` if it has none.
  ///
  /// Prepares the pragma each time, because many pragmas act when they are prepared.
  package func pragma(_ name: String) throws -> String? {
    let statement = try prepare("PRAGMA \(name)")
    return try statement.step() ? statement.text(0) : nil
  }

  /// Sets a pragma and returns the value that is then in force, if SQLite reports it.
  @discardableResult
  package func setPragma(_ name: String, _ value: String) throws -> String? {
    try pragma("\(name) = \(value)")
  }

  /// A number that changes when another connection has changed the database. Cost: a kept statement.
  package func dataVersion() throws -> Int64 {
    let statement = try statement("PRAGMA data_version")
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }

  /// A number that changes with every change of a definition. Cost: a kept statement.
  package func schemaVersion() throws -> Int64 {
    let statement = try statement("PRAGMA schema_version")
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }
}

import SQLite

extension Connection {
  /// Whether the database has a table of this name. Cost: a kept statement.
  func hasTable(_ name: String) throws -> Bool {
    let statement = try statement("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1")
    defer { statement.reset() }
    try statement.bind(name, at: 1)
    return try statement.step()
  }
}

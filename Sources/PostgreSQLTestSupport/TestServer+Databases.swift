import PostgreSQL

extension TestServer {
  /// Makes a database, runs a closure, and drops the database, whoever has connections to it.
  ///
  /// - Parameters:
  ///   - name: a plain name in small letters.
  ///   - options: further words of `CREATE DATABASE`.
  /// - Throws: ``PostgreSQLError`` if the server cannot make such a database; the errors of `body`.
  package func withDatabase<Result>(
    _ name: String, _ options: String = "", _ body: () throws -> Result
  ) throws -> Result {
    let connection = try connect()
    try connection.execute("CREATE DATABASE \(Identifier(name)) TEMPLATE template0 \(options)")
    defer { _ = try? connection.execute("DROP DATABASE \(Identifier(name)) WITH (FORCE)") }
    return try body()
  }

  /// The address of another database of the server, for another user.
  ///
  /// - Parameter password: the server asks for none, so any password is right.
  package func address(ofDatabase name: String = "postgres", user: String = "app", password: String? = nil) -> String {
    "postgresql://\(user)\(password.map { ":\($0)" } ?? "")@/\(name)?host=\(folder)"
  }
}

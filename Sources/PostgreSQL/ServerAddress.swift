import CPostgreSQL

/// The address of a database: a URL, or keywords and values, as `libpq` takes them.
///
///     postgresql://app@db.example:5432/library?sslmode=verify-full
///
/// What it leaves out comes from the environment (`PGHOST`, `PGPASSWORD`, …) and from `~/.pgpass`. Its description has no password.
package struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
  package let text: String
  /// The database, the user and the host, for messages; without the password.
  package let description: String

  /// - Throws: ``PostgreSQLError`` for a text that is no address.
  package init(_ text: String) throws {
    self.text = text
    guard !text.contains("\0") else {
      throw PostgreSQLError(message: "the address contains a NUL character", database: "the database")
    }
    var problem: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(text, &problem) else {
      defer { PQfreemem(problem) }
      let message = problem.map { String(cString: $0) } ?? "not enough memory"
      throw PostgreSQLError(
        message: "the address is not valid, such as postgresql://user@host/database: " + Self.withoutSecrets(message),
        database: "the database")
    }
    defer { PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    description = Self.description(values)
  }

  static func description(_ values: [String: String]) -> String {
    let host = values["host"] ?? values["hostaddr"] ?? "the default host"
    let user = values["user"].map { " as \($0)" } ?? ""
    let database = values["dbname"].map { "database \($0)" } ?? "the user's database"
    return "\(database) on \(host)\(values["port"].map { ":\($0)" } ?? "")\(user)"
  }

  /// The client library's message without the parts of an address that may hold a password.
  static func withoutSecrets(_ message: String) -> String {
    message.replacing(#/\/\/[^@\s]*@/#, with: "//…@").replacing(#/(?i)(password\s*=\s*)[^&\s]+/#) {
      "\($0.output.1)…"
    }
  }
}

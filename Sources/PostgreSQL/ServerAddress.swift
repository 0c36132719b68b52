import CPostgreSQL

/// The address of a database: a URL, or keywords and values, as `libpq` takes them.
///
///     postgresql://app@db.example:5432/library?sslmode=verify-full
///
/// What it leaves out comes from the environment (`PGHOST`, `PGPASSWORD`, …) and from `~/.pgpass`. Its description has no password.
package struct ServerAddress: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The address as the client library takes it; it may contain a password.
  package let text: String
  /// The database, the host and the user, for messages; see ``AddressParts``.
  package let description: String
  private let parts: AddressParts

  /// - Throws: ``PostgreSQLError`` for a text that is no address.
  package init(_ text: String) throws {
    self.text = text
    guard !text.hasNUL else {
      throw PostgreSQLError(message: "the address contains a NUL character", database: "the database")
    }
    var problem: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(text, &problem) else {
      defer { PQfreemem(problem) }
      let message = problem.map { String(cString: $0) } ?? "not enough memory"
      throw PostgreSQLError(
        message: "the address is not valid: " + AddressParts.withoutQuotations(message), database: "the database",
        advice: "write it as postgresql://user@host/database")
    }
    defer { PQconninfoFree(options) }
    let values = Self.values(of: options)
    if let mode = values["replication"], !["", "false", "off", "no", "0"].contains(mode.lowercased()) {
      throw PostgreSQLError(
        message: "the address asks for a connection of the replication protocol, which takes no requests of a store",
        database: "the database", advice: "leave out the keyword replication")
    }
    // A named service overrides the environment, and only the client library knows its values.
    parts = AddressParts(values, defaults: values["service"] == nil ? Self.defaults : [:])
    description = parts.description
  }

  /// The client library's values for omitted parts, from the environment or a service file.
  private static var defaults: [String: String] {
    guard let options = PQconndefaults() else { return [:] }
    defer { PQconninfoFree(options) }
    // Messages omit the default port.
    return values(of: options).filter { $0.key != "port" || $0.value != "5432" }
  }

  /// The values of options by keyword.
  private static func values(of options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
    var values: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    return values
  }

  /// The client library's message about a connection, without the parts of the address that may be secret.
  func withoutSecrets(_ message: String) -> String { parts.withoutSecrets(message) }

  /// Shows the description only.
  package var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

import ErrorReporting
package import Foundation
import PostgreSQL
package import StoreRequests

/// How a store is opened.
package struct ServerOptions: Sendable, Hashable {
  /// The schema of the database that has the tables; made if it does not exist.
  package var schema = "public"
  package var naming = NamingRule.snakeCase
  /// The largest number of connections of each pool: of the server's and the copy's.
  package var connectionLimit = 8
  /// The seconds that an attempt to connect, and the wait for a connection of the pool, may take.
  package var deadline: TimeInterval = 10
  package var isReadOnly = false
  /// Whether a pooler gives each transaction any of its sessions, so that nothing lasts from one transaction to the next.
  package var sharesSessions = false
  /// The address of a server with a copy of the database, which serves reads; `nil` if there is none.
  package var readAddress: String?
  /// The treatment of rows that a new uniqueness constraint finds with equal values in a migration.
  package var duplicates = ChangeSet.DuplicatePolicy.fail

  /// The deadline in whole seconds, at least 1 and at most a year.
  var wholeDeadline: Int { deadline >= 1 ? Int(min(deadline, 31_536_000)) : 1 }

  /// The deadline in milliseconds, as the server takes it.
  var wholeMilliseconds: Int { min(wholeDeadline, 2_000_000) * 1000 }

  package init() {}
}

extension ServerOptions {
  /// A connection that belongs to no pool.
  ///
  /// - Parameter preparesStatements: `false` for work of a tool, which cannot know whether a pooler shares the sessions.
  func connect(_ address: ServerAddress, preparesStatements: Bool = true) throws -> Connection {
    let connection = try Connection(
      address, deadline: wholeDeadline, preparesStatements: preparesStatements && !sharesSessions)
    connection.onStatementEnd = ServerLog.onStatementEnd
    return connection
  }

  func check(_ address: ServerAddress) throws {
    guard !schema.isEmpty, schema.utf8.count <= Identifier.longestName, !schema.hasNUL else {
      throw StoreProblem(
        "\(address): the name of the schema \(quoted(schema)) is empty, too long, or has a NUL character",
        remedy: "choose a name of at most \(Identifier.longestName) bytes, without NUL")
    }
  }
}

/// Settings that a piece of work needs, whatever the server, the database and the role set.
///
/// A role's limits are meant for statements of programs. Long work, such as a migration, lifts them.
package struct ServerSettings: Sendable {
  private let values: [(name: String, value: Int)]

  private init(_ values: [(name: String, value: Int)]) { self.values = values }

  /// A transaction may last, and wait for its program, for any time. Its statements keep their limits.
  package static let lasting = ServerSettings([
    ("idle_in_transaction_session_timeout", 0), (transactionTimeout, 0),
  ])

  /// A session may be idle for any time.
  package static let idle = ServerSettings([("idle_session_timeout", 0)])

  /// Nothing limits a transaction, its statements, and their waits for locks.
  package static let unlimited = lasting + ServerSettings([("statement_timeout", 0), ("lock_timeout", 0)])

  /// Floating-point numbers have all their digits as text.
  package static let exact = ServerSettings([("extra_float_digits", 1)])

  /// The server plans for all rows of a cursor; else it plans for the first tenth of them.
  package static let allRowsOfCursors = ServerSettings([("cursor_tuple_fraction", 1)])

  /// A statement waits for each lock at most some milliseconds.
  package static func lockWait(milliseconds: Int) -> ServerSettings {
    ServerSettings([("lock_timeout", milliseconds)])
  }

  /// Both settings. Where they differ, the right ones count.
  package static func + (left: ServerSettings, right: ServerSettings) -> ServerSettings {
    ServerSettings(left.values.filter { value in !right.values.contains { $0.name == value.name } } + right.values)
  }

  /// The lifetime of settings. Behind a pooler, session settings would reach other clients.
  package enum Scope: String, Sendable { case transaction = "LOCAL", session = "SESSION" }

  /// Servers before version 17 do not know it.
  private static let transactionTimeout = "transaction_timeout"

  /// The statements that make the settings, separated by semicolons.
  package func statements(for scope: Scope, serverVersion: Int) -> String {
    values.filter { $0.name != Self.transactionTimeout || serverVersion >= 170_000 }
      .map { "SET \(scope.rawValue) \($0.name) = \($0.value)" }.joined(separator: "; ")
  }
}

extension Connection {
  /// Makes settings.
  ///
  /// - Throws: ``PostgreSQLError``
  package func set(_ settings: ServerSettings, for scope: ServerSettings.Scope) throws {
    try execute(settings.statements(for: scope, serverVersion: serverVersion))
  }

  /// Begins a transaction with settings, in one round trip.
  ///
  /// - Throws: ``PostgreSQLError``
  package func begin(_ statement: String, with settings: ServerSettings?) throws {
    let local = settings?.statements(for: .transaction, serverVersion: serverVersion)
    try execute([statement, local].compactMap(\.self).joined(separator: "; "))
  }
}

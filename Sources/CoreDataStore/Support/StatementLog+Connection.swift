import SQLite
import StoreRequests

extension StatementLog {
  /// Logs the statements of a connection from now on.
  static func start(on connection: Connection) throws {
    guard level > 0 else { return }
    try start(on: connection, level: level, write: writer(label: "CoreDataStore.sql"))
  }

  /// Passes each statement of a connection on as a line.
  static func start(on connection: Connection, level: Int, write: @escaping @Sendable (String) -> Void) throws {
    guard level > 0 else { return }
    try connection.onStatementEnd(isExpanded: hasValues(level)) { sql, duration in write(line(sql, duration)) }
  }
}

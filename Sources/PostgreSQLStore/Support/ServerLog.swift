import Logging
import PostgreSQL
import StoreRequests

/// Logs failures that interrupt no operation, and that the store retries by itself.
enum ServerLog {
  private static let logger = Logger(label: "PostgreSQLStore")

  /// Logs statements; `nil` unless the launch argument asks for them, see ``StatementLog``.
  static let onStatementEnd = onStatementEnd(
    level: StatementLog.level, write: StatementLog.writer(label: "PostgreSQLStore.sql"))

  /// - Parameter write: takes a line for each statement.
  static func onStatementEnd(
    level: Int, write: @escaping @Sendable (String) -> Void
  ) -> (@Sendable (_ sql: String, _ parameters: [Parameter], _ duration: Duration) -> Void)? {
    guard level > 0 else { return nil }
    return { sql, parameters, duration in
      let values = StatementLog.hasValues(level) ? parameters.enumerated().map { "$\($0 + 1) = \($1)" } : []
      write(StatementLog.line(sql + (values.isEmpty ? "" : " [\(values.joined(separator: ", "))]"), duration))
    }
  }

  static func warn(_ text: String) { logger.warning("\(text)") }

  /// Runs a closure. Logs its error.
  static func reporting(_ subject: String, _ body: () throws -> Void) {
    do { try body() } catch { warn("\(subject): \(error)") }
  }
}

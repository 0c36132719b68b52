import Foundation
import Logging
import SQLite

/// Logs SQL with timings, as the launch argument of Core Data's users asks: `-com.apple.CoreData.SQLDebug 1`.
///
/// Levels 1 and 2 log each statement with placeholders and its duration; from level 3 on the bound values stand in their
/// places. Without the argument nothing is installed, and statements cost nothing more.
enum StatementLog {
  /// The level of this process.
  static let level = level(in: ProcessInfo.processInfo.arguments)

  static let argument = "-com.apple.CoreData.SQLDebug"

  /// The level that launch arguments ask for; 0 without the argument, or with one that is no number.
  static func level(in arguments: [String]) -> Int {
    guard let place = arguments.firstIndex(of: argument), place + 1 < arguments.count else { return 0 }
    return Int(arguments[place + 1]) ?? 0
  }

  /// Logs the statements of a connection from now on.
  static func start(on connection: Connection) throws {
    guard level > 0 else { return }
    let logger = Logger(label: "CoreDataStore.sql")
    try start(on: connection, level: level) { logger.info("\($0)") }
  }

  /// Passes each statement of a connection on as a line.
  static func start(on connection: Connection, level: Int, write: @escaping @Sendable (String) -> Void) throws {
    guard level > 0 else { return }
    try connection.onStatementEnd(isExpanded: level >= 3) { sql, duration in
      write("sql: \(sql) (\(String(format: "%.4f", duration / .seconds(1))) s)")
    }
  }
}

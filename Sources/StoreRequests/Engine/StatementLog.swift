import Foundation
import Logging

/// Logs SQL with timings, as the launch argument of Core Data's users asks: `-com.apple.CoreData.SQLDebug 1`.
///
/// Levels 1 and 2 log each statement with placeholders, and its duration. Levels 3 and 4 log the bound values, too. Core Data logs values from
/// level 2 on. Here they need level 3, because they may be secrets. Without the argument an engine installs nothing, and statements cost
/// nothing more.
package enum StatementLog {
  /// The level of this process.
  package static let level = level(in: ProcessInfo.processInfo.arguments)

  private static let argument = "-com.apple.CoreData.SQLDebug"

  /// The level that launch arguments ask for; 0 without the argument, or with one that is no number.
  package static func level(in arguments: [String]) -> Int {
    guard let place = arguments.firstIndex(of: argument), place + 1 < arguments.count else { return 0 }
    return Int(arguments[place + 1]) ?? 0
  }

  /// Whether lines of a level have bound values.
  package static func hasValues(_ level: Int) -> Bool { level >= 3 }

  /// Writes lines to the log of a label.
  package static func writer(label: String) -> @Sendable (String) -> Void {
    let logger = Logger(label: label)
    return { logger.info("\($0)") }
  }

  package static func line(_ sql: String, _ duration: Duration) -> String {
    "sql: \(sql) (\(String(format: "%.4f", duration / .seconds(1))) s)"
  }
}

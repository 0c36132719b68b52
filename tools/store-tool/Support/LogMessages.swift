import ErrorReporting
import Logging
import ToolConsole

/// Writes the library's log like the tool's own messages: on standard error, as warnings, because the run continues.
struct LogMessages: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .warning

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    Console.report([
      Message(severity: .warning, file: "store-tool", line: nil, problem: onOneLine("\(event.message)"))
    ])
  }
}

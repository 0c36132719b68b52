import Logging
import ToolConsole

/// Tells what the library logs as the tool tells everything: on standard error, as a warning, for the run goes on.
struct LogMessages: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .warning

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    Console.report([
      Message(severity: .warning, file: "store-tool", line: nil, what: onOneLine("\(event.message)"))
    ])
  }
}

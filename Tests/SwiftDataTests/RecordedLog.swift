import Logging
import Synchronization

/// The lines that the library logs during a part of a test. Other tests' lines go where they would go else.
enum RecordedLog {
  private final class Lines: Sendable {
    let lines = Mutex<[String]>([])
  }

  @TaskLocal private static var current: Lines?

  /// A process has one log, which stays.
  private static let isInstalled: Void = LoggingSystem.bootstrap { label in
    Handler(other: StreamLogHandler.standardError(label: label))
  }

  /// The lines that a body logs in its own task, as "level: text".
  static func lines(of body: () throws -> Void) rethrows -> [String] {
    isInstalled
    let lines = Lines()
    try $current.withValue(lines, operation: body)
    return lines.lines.withLock { $0 }
  }

  private struct Handler: LogHandler {
    var other: StreamLogHandler

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { other[metadataKey: key] }
      set { other[metadataKey: key] = newValue }
    }
    var metadata: Logger.Metadata {
      get { other.metadata }
      set { other.metadata = newValue }
    }
    var logLevel: Logger.Level {
      get { other.logLevel }
      set { other.logLevel = newValue }
    }

    func log(event: LogEvent) {
      guard let lines = RecordedLog.current else { return other.log(event: event) }
      lines.lines.withLock { $0.append("\(event.level): \(event.message)") }
    }
  }
}

import CSQLite

/// Waits for another connection's lock, up to a time.
///
/// SQLite's own handler waits up to 100 milliseconds between two attempts. Beside programs that write again and again, it may miss every
/// moment without a lock. Short pauses of unequal length miss few.
final class BusyHandler {
  private let timeout: Duration
  /// Whether a statement that meets a lock fails at once.
  var isPaused = false
  private var waited = Duration.zero
  private var last = ContinuousClock.now
  /// What the last pause was asked to take. A file system of tests may skip it.
  private var pause = Duration.zero

  init(timeout: Duration) { self.timeout = timeout }

  /// The most that one pause counts. A longer one means that the machine stood still: then the lock's owner did, too.
  private static let longestPause = Duration.milliseconds(100)

  /// Waits on this thread before the next attempt; returns `false` when the time is over.
  ///
  /// - Parameter attempts: how often the handler was called for the same lock before.
  private func wait(attempts: Int32) -> Bool {
    guard !isPaused else { return false }
    let now = ContinuousClock.now
    waited = attempts == 0 ? .zero : waited + max(pause, min(now - last, Self.longestPause))
    last = now
    guard waited < timeout else { return false }
    let milliseconds = min(Int32.random(in: 1...(attempts < 10 ? 2 : 10)), (timeout - waited).wholeMilliseconds + 1)
    pause = .milliseconds(Int(sqlite3_sleep(milliseconds)))
    return true
  }

  /// Makes a connection ask the handler, which must live as long as the connection.
  func install(on pointer: OpaquePointer) {
    let handler = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_busy_handler(
      pointer,
      { handler, attempts in
        guard let handler else { return 0 }
        return Unmanaged<BusyHandler>.fromOpaque(handler).takeUnretainedValue().wait(attempts: attempts) ? 1 : 0
      }, handler)
  }
}

extension Duration {
  /// The milliseconds, as far as an `Int32` holds them; 0 for a negative duration.
  fileprivate var wholeMilliseconds: Int32 {
    let (seconds, attoseconds) = components
    guard seconds < Int64(Int32.max / 1000 - 1) else { return Int32.max - 1 }
    return Int32(clamping: max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000))
  }
}

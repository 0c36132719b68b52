internal import Foundation
internal import Logging
internal import StoreRequests
internal import Synchronization

/// Deletes transactions that a configuration keeps no longer, when its container opens and from time to time after saves.
final class HistoryRetention: Sendable {
  private let last = Mutex<ContinuousClock.Instant?>(nil)

  /// A tenth of the time that the history is kept, but a minute at least, and an hour at most.
  static func interval(_ retention: Duration) -> Duration { min(max(retention / 10, .seconds(60)), .seconds(3600)) }

  /// Deletes old transactions if the last time is long ago. Cost: without a retention none, else a look at the clock.
  func applyIfDue(to store: OpenStore, at now: @autoclosure () -> ContinuousClock.Instant = .now) {
    guard let retention = store.configuration.historyRetention else { return }
    let now = now()
    let isDue = last.withLock { last in
      if let last, last.duration(to: now) < Self.interval(retention) { return false }
      last = now
      return true
    }
    if isDue { delete(from: store, retention) }
  }

  /// A failure is logged. The next time tries again.
  private func delete(from store: OpenStore, _ retention: Duration) {
    guard store.configuration.allowsSave, let engine = store.engine as? any HistoryEngine else { return }
    let (seconds, attoseconds) = retention.components
    do {
      try engine.pruneHistory(before: Date.now.addingTimeInterval(-Double(seconds) - Double(attoseconds) / 1e18))
    } catch {
      Logger(label: "SwiftData").warning("Deleting old history of \(store.configuration.debugDescription): \(error)")
    }
  }
}

internal import Foundation
internal import Logging
internal import StoreRequests

/// Deletes transactions that a configuration keeps no longer.
enum HistoryRetention {
  /// A failure is logged, and the container opens all the same. The next opening tries again.
  static func apply(to store: OpenStore, now: Date = .now) {
    guard let retention = store.configuration.historyRetention, store.configuration.allowsSave,
      let engine = store.engine as? any HistoryEngine
    else { return }
    let (seconds, attoseconds) = retention.components
    var request = HistoryRequest()
    request.before = now.addingTimeInterval(-Double(seconds) - Double(attoseconds) / 1e18)
    // A look first: without old transactions nothing is written.
    var first = request
    first.limit = 1
    do {
      let rows = try engine.history(first)
      let hasOld = try rows.next() != nil
      rows.close()
      if hasOld { try engine.deleteHistory(request) }
    } catch {
      Logger(label: "SwiftData").warning("Deleting old history of \(store.configuration.debugDescription): \(error)")
    }
  }
}

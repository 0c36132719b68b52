import Synchronization

/// Tells whether saves to an open store have met in deadlocks lately. Small saves then run alone from the beginning, since each deadlock
/// takes a second.
final class Contention: Sendable {
  private struct State {
    var end: ContinuousClock.Instant?
    var duration = Contention.shortest
  }

  private let state = Mutex(State())

  private static let shortest = Duration.seconds(5)
  private static let longest = Duration.seconds(300)

  /// Whether a deadlock was found in the last seconds: in more of them each time that saves went back to running together too early.
  var isHigh: Bool { state.withLock { $0.end.map { ContinuousClock.now < $0 } ?? false } }

  /// Notes a deadlock.
  func noteDeadlock() {
    state.withLock { state in
      let now = ContinuousClock.now
      if let end = state.end, now >= end {
        state.duration = now - end < state.duration ? min(state.duration * 2, Self.longest) : Self.shortest
      }
      state.end = now + state.duration
    }
  }
}

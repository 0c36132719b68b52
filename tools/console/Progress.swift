import Dispatch
import ErrorReporting
import Foundation
import Synchronization

/// A line on the terminal that names the current task of a run, shown when the task takes longer than half a second.
///
/// Writes nothing unless standard error is a terminal.
package final class Progress: Sendable {
  package static let shared = Progress(terminal: .errors)

  private struct State {
    var task = ""
    var started = DispatchTime.now()
    var isShown = false
    var timer: (any DispatchSourceTimer)?
  }

  private let terminal: Terminal
  private let state = Mutex(State())
  private let count = Atomic(0)
  /// The share of the task that is done, in thousandths; negative if it is not known.
  private let share = Atomic(-1)
  private static let barWidth = 20

  private init(terminal: Terminal) { self.terminal = terminal }

  /// Runs a part of the work under a name, for example `reading Library.xcdatamodeld`.
  ///
  /// A part of the part may have a name of its own, which is shown instead while that part runs.
  package func during<Result>(_ task: String, _ work: () throws -> Result) rethrows -> Result {
    guard terminal.isInteractive else { return try work() }
    let outer = begin(task)
    defer { end(outer) }
    return try work()
  }

  /// Counts a finished item, for example a written object; costs a few nanoseconds.
  package func advance() { count.add(1, ordering: .relaxed) }

  /// Tells the share of the task that is done, from 0 to 1, which is shown as a bar; costs a few nanoseconds.
  package func advance(to share: Double) {
    self.share.store(Int(max(0, min(1, share)) * 1000), ordering: .relaxed)
  }

  /// Tells the share of the task that is done, from 0 to 1, and ends the task if the run was asked to end.
  ///
  /// - Throws: ``Interruption/Requested``
  package func report(_ share: Double) throws {
    advance(to: share)
    try Interruption.shared.check()
  }

  /// Removes the line, so that other text can take its place.
  package func clear() {
    state.withLock { state in
      if state.isShown { Self.write("\r\u{1B}[K") }
      state.isShown = false
    }
  }

  private typealias Task = (name: String, started: DispatchTime)

  /// Returns the task that the new one interrupts; `nil` if there is none.
  private func begin(_ task: String) -> Task? {
    count.store(0, ordering: .relaxed)
    share.store(-1, ordering: .relaxed)
    return state.withLock { state in
      let outer = state.timer == nil ? nil : (state.task, state.started)
      (state.task, state.started) = (onOneLine(task), .now())
      guard state.timer == nil else { return outer }
      let timer = DispatchSource.makeTimerSource(queue: .global())
      timer.schedule(deadline: .now() + .milliseconds(500), repeating: .milliseconds(500))
      timer.setEventHandler { [self] in show() }
      timer.resume()
      state.timer = timer
      return outer
    }
  }

  private func end(_ outer: Task?) {
    count.store(0, ordering: .relaxed)
    share.store(-1, ordering: .relaxed)
    state.withLock { state in
      if let outer {
        (state.task, state.started) = outer
      } else {
        state.timer?.cancel()
        state.timer = nil
      }
    }
    clear()
  }

  private func show() {
    state.withLock { state in
      guard state.timer != nil else { return }
      let seconds = (DispatchTime.now().uptimeNanoseconds - state.started.uptimeNanoseconds) / 1_000_000_000
      let elapsed = seconds > 0 ? " (\(seconds) s)" : ""
      let done = count.load(ordering: .relaxed)
      let bar = Self.bar(share.load(ordering: .relaxed)).map { " \($0)" } ?? " …"
      Self.write("\r\u{1B}[K\(state.task.prefix(60))\(bar)\(done > 0 ? " \(done)" : "")\(elapsed)")
      state.isShown = true
    }
  }

  /// `[#####               ]  25 %`; `nil` if the share is not known.
  package static func bar(_ thousandths: Int) -> String? {
    guard thousandths >= 0 else { return nil }
    let done = min(thousandths, 1000) * barWidth / 1000
    let percent = "\(min(thousandths, 1000) / 10)"
    return "[\(String(repeating: "#", count: done))\(String(repeating: " ", count: barWidth - done))] "
      + String(repeating: " ", count: 3 - percent.count) + "\(percent) %"
  }

  private static func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}

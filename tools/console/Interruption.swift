import Dispatch
import Foundation
import Synchronization

/// The request of a person or of the system to end the run: the signals of Ctrl-C and of `kill`.
///
/// Without this type, the program would end at once and leave unfinished files behind.
package final class Interruption: Sendable {
  package static let shared = Interruption()

  private struct State {
    var sources: [any DispatchSourceSignal] = []
    var action: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  private let signal = Atomic<Int32>(0)

  private init() {}

  /// The run was asked to end; the exit status tells by which signal.
  package struct Requested: Error {
    package let signal: Int32
    package var status: Int32 { 128 + signal }
  }

  /// Records the signals from now on, instead of ending the program; a second signal ends it as usual.
  package func observe() {
    state.withLock { state in
      guard state.sources.isEmpty else { return }
      for number in [SIGINT, SIGTERM, SIGHUP] {
        Foundation.signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { [self] in receive(number) }
        source.resume()
        state.sources.append(source)
      }
    }
  }

  /// - Throws: ``Requested`` if a signal came.
  package func check() throws {
    let number = signal.load(ordering: .relaxed)
    if number != 0 { throw Requested(signal: number) }
  }

  /// Runs `action` on another thread if a signal arrives while `work` runs.
  ///
  /// - Throws: the error of `work`; ``Requested`` instead, if a signal arrived.
  package func during<Result>(_ work: () throws -> Result, on action: @escaping @Sendable () -> Void) throws -> Result {
    observe()
    state.withLock { $0.action = action }
    defer { state.withLock { $0.action = nil } }
    do { return try work() } catch {
      try check()
      throw error
    }
  }

  private func receive(_ number: Int32) {
    state.withLock { state in
      signal.store(number, ordering: .relaxed)
      state.action?()
      Foundation.signal(number, SIG_DFL)
    }
  }
}

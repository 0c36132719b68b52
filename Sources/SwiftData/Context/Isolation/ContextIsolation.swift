internal import Dispatch

/// Runs work with a context on the actor or the queue that the context belongs to, from any thread.
///
/// It retains neither the actor, which may own the context, nor the context.
final class ContextIsolation: @unchecked Sendable {  // immutable; the runtime guards weak references
  private weak let context: ModelContext?
  private weak let actor: (any Actor)?
  private let queue: DispatchQueue?

  init(_ actor: any Actor, _ context: ModelContext) {
    self.context = context
    self.actor = actor
    queue = nil
  }

  /// - Parameter queue: a serial queue.
  init(_ queue: DispatchQueue, _ context: ModelContext) {
    self.context = context
    actor = nil
    self.queue = queue
  }

  /// Runs a closure with the context in its place, after a delay.
  ///
  /// Does nothing if the actor or the context is released by then, or if the context belongs to another place.
  func perform(after delay: Duration = .zero, _ body: @escaping @Sendable (ModelContext) -> Void) {
    guard let queue else { return performOnActor(after: delay, body) }
    let work: @Sendable () -> Void = { self.run(body) }
    if delay > .zero {
      queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay / .nanoseconds(1))), execute: work)
    } else {
      queue.async(execute: work)
    }
  }

  private func performOnActor(after delay: Duration, _ body: @escaping @Sendable (ModelContext) -> Void) {
    Task {
      if delay > .zero { try? await Task.sleep(for: delay) }
      if let actor { await run(on: actor, body) }
    }
  }

  private func run(on actor: isolated any Actor, _ body: @Sendable (ModelContext) -> Void) { run(body) }

  private func run(_ body: @Sendable (ModelContext) -> Void) {
    if let context, context.isolation === self { body(context) }
  }
}

/// Runs work on the actor that a context belongs to, from any thread.
///
/// It retains neither the actor, which may own the context, nor the context.
final class ContextIsolation: @unchecked Sendable {  // immutable; the runtime guards weak references
  private weak let actor: (any Actor)?
  private weak let context: ModelContext?

  init(_ actor: any Actor, _ context: ModelContext) {
    self.actor = actor
    self.context = context
  }

  /// Runs a closure with the context on the context's actor, after a delay; does nothing if either is released by then.
  func perform(after delay: Duration = .zero, _ body: @escaping @Sendable (ModelContext) -> Void) {
    Task {
      if delay > .zero { try? await Task.sleep(for: delay) }
      if let actor { await run(on: actor, body) }
    }
  }

  private func run(on actor: isolated any Actor, _ body: @Sendable (ModelContext) -> Void) {
    if let context { body(context) }
  }
}

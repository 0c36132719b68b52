extension ModelContainer {
  /// The main context on the main actor; a new context on any other actor or on none.
  func context(on isolation: (any Actor)?) -> ModelContext {
    guard isolation === MainActor.shared else { return ModelContext(self, isolation: isolation) }
    return MainActor.assumeIsolated { Unchecked(context: mainContext) }.context
  }

  /// A context that stays on its actor.
  private struct Unchecked: @unchecked Sendable {
    let context: ModelContext
  }
}

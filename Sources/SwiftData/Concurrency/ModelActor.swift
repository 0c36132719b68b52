/// An actor with a model context of its own; `@ModelActor` makes one.
///
/// Its methods run on the serial queue of its executor, never on the main thread, wherever the actor was made. They do not
/// use the threads that Swift shares among all tasks, so a slow statement delays no other task. Changes that other contexts
/// save arrive on the actor's next turn. Objects stay inside the actor; pass their `persistentModelID` between actors.
/// Apple: `ModelActor`.
public protocol ModelActor: Actor {
  /// The container of the actor's context.
  nonisolated var modelContainer: ModelContainer { get }
  /// Runs the actor's methods, and owns its context.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The executor that runs the actor's methods.
  ///
  /// An executor that does not conform to `SerialExecutor` cannot run an actor's methods; a serial queue that all such
  /// actors share runs them instead. Apple: `ModelActor.unownedExecutor`.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    let executor = modelExecutor
    if let usual = executor as? DefaultSerialModelExecutor { return usual.asUnownedSerialExecutor() }
    if let serial = executor as? any SerialExecutor { return serial.asUnownedSerialExecutor() }
    return SharedSerialExecutor.shared.asUnownedSerialExecutor()
  }

  /// The actor's context. Apple: `ModelActor.modelContext`.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// The object of an identifier in the actor's context; `nil` if it has no row, or is of another class.
  ///
  /// Cost: one query, unless the object is loaded. An object that others have deleted is found to be gone, as a fetch finds it.
  /// Apple: `ModelActor.subscript(_:as:)`, which returns an object without a row, too.
  public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
    modelContext.core.adoptOthersSaves()
    guard let model = modelContext.core.model(for: id) as? T else { return nil }
    if model._$state.status == .fault { modelContext.core.fill(model) }
    return model._$state.status == .orphaned ? nil : model
  }
}

internal import Foundation

/// Fetches model objects, tracks their changes, and saves the changes together.
///
///     let context = ModelContext(container)
///     context.insert(Book(title: "Winnetou"))
///     try context.save()
///
/// A context belongs to one executor: make one per actor or task. A context has one object per row. An object keeps its
/// identity, its storage is never replaced, and an object whose row is deleted keeps its last values. Apple:
/// `ModelContext`.
public class ModelContext {
  let core: ContextCore
  private let strongContainer: ModelContainer?
  private weak var weakContainer: ModelContainer?
  private let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// Runs work in the context's place; `nil` for a context made outside of any actor.
  private(set) var isolation: ContextIsolation?
  private(set) var autosave: Autosave?
  /// Records the changes for an undo manager; `nil` without one.
  var undoRecorder: UndoRecorder?

  /// The container whose stores the context reads and writes.
  public var container: ModelContainer {
    if let known = strongContainer ?? weakContainer { return known }
    // The container may have been released while the main context is still held.
    let container = ModelContainer(core: core.container, migrationPlan: migrationPlan)
    weakContainer = container
    return container
  }

  /// The treatment of rows that changed elsewhere between read and save. Not in Apple's framework.
  public var conflictPolicy: SaveConflictPolicy {
    get { core.conflictPolicy }
    set { core.conflictPolicy = newValue }
  }

  /// The treatment of new objects whose unique values another object has. Not in Apple's framework.
  public var uniquenessPolicy: UniquenessPolicy {
    get { core.uniquenessPolicy }
    set { core.uniquenessPolicy = newValue }
  }

  /// Whether the context saves automatically, a quarter of a second after its first unsaved change.
  ///
  /// `true` for a container's main context, otherwise `false`. Automatic saves run on the context's actor, see
  /// ``init(_:isolation:)``. A context that was made outside of any actor cannot save automatically: its first unsaved change logs
  /// a warning, and changes wait for ``save()``. A failed save is logged and posted as ``autosaveDidFail``; the changes stay, and the next change
  /// tries again. A context that is released earlier loses its changes, and logs a warning: call ``save()`` before a program ends.
  /// Apple: `ModelContext.autosaveEnabled`.
  public var autosaveEnabled: Bool {
    get { autosave?.isEnabled ?? false }
    set {
      guard newValue || autosave != nil else { return }
      let autosave = autosave ?? Autosave(self)
      self.autosave = autosave
      autosave.isEnabled = newValue
    }
  }

  /// Makes a context for the caller's actor.
  ///
  /// Saves of other contexts reach its objects with the next fetch or save. A context with an actor also receives them
  /// on that actor's next turn. Apple: `ModelContext.init(_:)`.
  /// - Parameters:
  ///   - container: has the stores and the schema.
  ///   - isolation: the context's actor; by default the caller's actor.
  public init(_ container: ModelContainer, isolation: (any Actor)? = #isolation) {
    core = ContextCore(container.core)
    strongContainer = container
    migrationPlan = container.migrationPlan
    core.modelContext = self
    if let isolation { belong(to: isolation) }
  }

  /// Makes a context for no actor, as `containers.map(ModelContext.init)` does. A call of ``init(_:isolation:)`` takes the caller's
  /// actor. Apple: `ModelContext.init(_:)`.
  @_disfavoredOverload
  public convenience init(_ container: ModelContainer) { self.init(container, isolation: nil) }

  /// Makes the main context; its container holds it, so it must not hold the container.
  @MainActor init(main container: ModelContainer) {
    core = ContextCore(container.core)
    strongContainer = nil
    weakContainer = container
    migrationPlan = container.migrationPlan
    core.modelContext = self
    belong(to: MainActor.shared)
    autosaveEnabled = true
  }

  deinit {
    if autosaveEnabled, hasChanges { Autosave.warnOfLostChanges() }
    undoRecorder?.stop()
    core.close()
  }

  func belong(to actor: any Actor) { belong(to: ContextIsolation(actor, self)) }

  /// From now on merges the saves of other contexts, and saves automatically, in a place.
  func belong(to isolation: ContextIsolation) {
    self.isolation = isolation
    if let enabled = autosave?.isEnabled {
      // A save that is scheduled in the former place never runs.
      autosaveEnabled = false
      autosave = nil
      autosaveEnabled = enabled
    }
    core.inbox.onFirstChange { isolation.perform { $0.core.adoptSavedChanges() } }
  }
}

@available(
  *, unavailable, message: "contexts are not Sendable: make one per actor, and pass persistentModelIDs between them"
)
extension ModelContext: @unchecked Sendable {}

extension ModelContext: Equatable {
  /// Whether two variables hold the same context.
  public static func == (left: ModelContext, right: ModelContext) -> Bool { left === right }
}

extension ModelContext {
  /// Whether the context has unsaved changes.
  public var hasChanges: Bool { !core.unit.isEmpty }
  /// The objects that the next save inserts, in the order of insertion.
  public var insertedModelsArray: [any PersistentModel] { core.unit.inserted.array }
  /// The objects that the next save updates.
  public var changedModelsArray: [any PersistentModel] {
    core.showBatches()
    return core.unit.changed.array
  }
  /// The objects that the next save deletes.
  public var deletedModelsArray: [any PersistentModel] {
    core.showBatches()
    return core.unit.deleted.array
  }

  /// Inserts an object and all objects that its relationships reach; the next save writes them.
  ///
  /// For an object whose deletion is not saved yet, this takes the deletion back. Its relationships come back, and so do the objects that
  /// only its cascades have deleted. A member that has another owner by then stays there. An object that the program deleted itself stays
  /// deleted.
  ///
  /// An object whose row is deleted gets a new row and a new identifier. It has its last values, and leads to its former objects that
  /// still exist.
  ///
  /// Each save throws `unknownSchema` for an object of an unknown class, until ``delete(_:)`` or ``rollback()`` takes the insertion back.
  /// It throws `modelValidationFailure` for an object of another context, and for an object without row whose values were never read.
  public func insert<T: PersistentModel>(_ model: T) { core.insert(model) }

  /// Deletes an object and applies its delete rules; the next save deletes the rows.
  ///
  /// An unsaved object leaves the context at once. An object of another context makes each save throw
  /// `modelValidationFailure`, until ``rollback()``. An object that is in no context stays as it is.
  public func delete<T: PersistentModel>(_ model: T) { core.delete(model) }

  /// Applies the delete rules of deleted objects, without saving, and ends the undo manager's group of this event.
  ///
  /// Saves of other contexts arrive with the next fetch or save, or on the next turn of the context's actor. The rules see the members
  /// that the store has, and no object without changes gets new values.
  /// Apple: `ModelContext.processPendingChanges()`.
  public func processPendingChanges() {
    core.synchronizeAliases()
    // If the store cannot be read, the next fetch or save applies the rules, or throws.
    try? core.decideDeletions(keepingValues: true)
    undoRecorder?.endEvent()
  }

  /// Drops all changes since the last save: removes new objects, restores deleted objects and changed values.
  public func rollback() { core.rollback() }

  /// Writes all changes, in one transaction per store.
  ///
  /// A save over several stores writes to all of them, then each commits. If a store fails before the first commit, no
  /// store changes, and all changes stay unsaved. A commit may still fail after another store's commit, and of several stores
  /// that the app writes the first may stay saved: the error then names the saved stores. See <doc:SavingChanges>.
  /// - Throws: ``SwiftDataError``: `modelValidationFailure`, `saveConflict`, `storeFailure`. The error of a custom store as it is.
  public func save() throws { try core.save() }

  /// Runs a closure, then saves. If the closure throws, its changes stay unsaved, and ``rollback()`` drops them.
  ///
  /// ``enumerate(_:batchSize:allowEscapingMutations:block:)`` saves nothing inside the closure. A transaction inside another one
  /// saves at its own end, and so does a call of ``save()``.
  /// Apple: `ModelContext.transaction(block:)`.
  /// - Throws: the error of the closure; the errors of ``save()``.
  public func transaction(block: () throws -> Void) throws {
    do {
      core.openTransactions += 1
      defer { core.openTransactions -= 1 }
      try block()
    }
    try save()
  }

  /// The object of an identifier: the registered object, or a fault that the first read loads.
  ///
  /// Returns an object without values and without a context if no store of the container has the identifier; `isDeleted` is
  /// `true`. If the container does not even have the entity, this object is of a class of the framework, so a cast to another
  /// class gives `nil`.
  /// Apple: `ModelContext.model(for:)`, which traps when such an object is read.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    core.model(for: persistentModelID)
  }

  /// The object of an identifier if it is registered in the context.
  public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
    core.registeredModel(for: persistentModelID) as? T
  }
}

internal import Foundation

/// The place where model objects live: fetches them, notes their changes, and saves these together.
///
///     let context = ModelContext(container)
///     context.insert(Book(title: "Winnetou"))
///     try context.save()
///
/// A context belongs to one executor: make one per actor or task. There is one object per row in a context; objects keep their
/// identity, their storage is never swapped, and one whose row is gone keeps its last values. Apple: `ModelContext`.
public class ModelContext {
  let core: ContextCore
  private let strongContainer: ModelContainer?
  private weak var weakContainer: ModelContainer?
  private let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// Runs work on the actor that the context belongs to; `nil` for a context that was made outside of any actor.
  private var isolation: ContextIsolation?
  private(set) var autosave: Autosave?

  /// The container whose stores the context reads and writes.
  public var container: ModelContainer {
    if let known = strongContainer ?? weakContainer { return known }
    // The main context outlives a container that only it has left.
    let container = ModelContainer(core: core.container, migrationPlan: migrationPlan)
    weakContainer = container
    return container
  }

  /// Kept for undo; without effect so far.
  public var undoManager: UndoManager?

  /// The context's name in the history of its changes.
  public var author: String? {
    get { core.author }
    set { core.author = newValue }
  }

  /// What a save does about rows that somebody else has changed meanwhile. Not in Apple's framework.
  public var conflictPolicy: SaveConflictPolicy {
    get { core.conflictPolicy }
    set { core.conflictPolicy = newValue }
  }

  /// Whether the context saves by itself, a quarter of a second after its first unsaved change.
  ///
  /// True for a container's main context, otherwise false. It needs an actor that the context belongs to, see
  /// ``init(_:isolation:)``; for a context without one it has no effect: call ``save()``. A failure is logged and posted as
  /// ``autosaveDidFail``, the changes stay, and the next change tries again. Apple: `ModelContext.autosaveEnabled`.
  public var autosaveEnabled: Bool {
    get { autosave?.isEnabled ?? false }
    set {
      guard newValue || autosave != nil else { return }
      let autosave = autosave ?? Autosave(self, on: isolation)
      self.autosave = autosave
      autosave.isEnabled = newValue
    }
  }

  /// A context for the actor it is made on.
  ///
  /// What other contexts save reaches its objects with the next fetch or save, and, if it was made on an actor, on that actor's
  /// next turn. Apple: `ModelContext.init(_:)`.
  /// - Parameter isolation: the actor that the context belongs to; the caller's own if none is given.
  public init(_ container: ModelContainer, isolation: (any Actor)? = #isolation) {
    core = ContextCore(container.core)
    strongContainer = container
    migrationPlan = container.migrationPlan
    core.modelContext = self
    if let isolation { belong(to: isolation) }
  }

  /// The main context, which its container holds: it must not hold the container.
  @MainActor init(main container: ModelContainer) {
    core = ContextCore(container.core)
    strongContainer = nil
    weakContainer = container
    migrationPlan = container.migrationPlan
    core.modelContext = self
    belong(to: MainActor.shared)
    autosaveEnabled = true
  }

  deinit { core.close() }

  /// Lets others' changes and automatic saves reach the context on an actor.
  func belong(to actor: any Actor) {
    let isolation = ContextIsolation(actor, self)
    self.isolation = isolation
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
  /// Whether there is anything to save.
  public var hasChanges: Bool { !core.unit.isEmpty }
  /// The objects that the next save inserts, in order.
  public var insertedModelsArray: [any PersistentModel] { core.unit.inserted.array }
  /// The objects that the next save updates.
  public var changedModelsArray: [any PersistentModel] { core.unit.changed.array }
  /// The objects that the next save deletes.
  public var deletedModelsArray: [any PersistentModel] { core.unit.deleted.array }

  /// Takes an object, and all that it leads to, into the context; the next save writes them.
  public func insert<T: PersistentModel>(_ model: T) { core.insert(model) }

  /// Notes that an object is to be deleted at the next save, together with what its delete rules say.
  public func delete<T: PersistentModel>(_ model: T) { core.delete(model) }

  /// Applies the delete rules of deleted objects, without saving.
  ///
  /// What other contexts saved arrives with the next fetch or save, or on the context's own turn. Apple:
  /// `ModelContext.processPendingChanges()`.
  public func processPendingChanges() {
    core.synchronizeAliases()
    // If the store cannot be read, the next fetch or save applies the rules, or throws.
    try? core.decideDeletions()
  }

  /// Forgets all changes since the last save: new objects leave the context, deleted ones return, changed ones are as they were.
  public func rollback() { core.rollback() }

  /// Writes all changes, in one transaction per store.
  ///
  /// If it throws, nothing has changed in the store, and the context holds what it held.
  /// - Throws: ``SwiftDataError``: `modelValidationFailure`, `saveConflict`, `storeFailure`.
  public func save() throws { try core.save() }

  /// Runs a block, then saves. If the block throws, its changes stay unsaved.
  public func transaction(block: () throws -> Void) throws {
    try block()
    try save()
  }

  /// The object of an identifier: the registered one, or one that is loaded when it is first read.
  ///
  /// For an identifier that no store of the container knows it is an object in no context, without values. Apple:
  /// `ModelContext.model(for:)`, which traps when such an object is read.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    core.model(for: persistentModelID)
  }

  /// The object of an identifier if the context has it already.
  public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
    core.registeredModel(for: persistentModelID) as? T
  }
}

/// Undoes changes; Foundation for Linux has none, and this one keeps nothing yet.
open class UndoManager {
  /// An undo manager without anything to undo.
  public init() {}
}

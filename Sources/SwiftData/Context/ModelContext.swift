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
  private var autosave: Autosave?

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

  /// Whether the context saves by itself: the main context does so on the main actor, shortly after the first change.
  ///
  /// True for a container's main context, otherwise false. For contexts of other executors it has no effect on Linux, where
  /// no run loop could do it: call ``save()``. An error is logged, and the changes stay.
  public var autosaveEnabled: Bool {
    get { autosave?.isEnabled ?? false }
    set {
      guard newValue || autosave != nil else { return }
      let autosave = autosave ?? Autosave()
      autosave.isEnabled = newValue
      self.autosave = autosave
      if newValue, hasChanges { scheduleAutosave() }
    }
  }

  /// A context for the executor it is made on. Apple: `ModelContext.init(_:)`.
  public init(_ container: ModelContainer) {
    core = ContextCore(container.core)
    strongContainer = container
    migrationPlan = container.migrationPlan
    core.modelContext = self
  }

  /// The main context, which its container holds: it must not hold the container.
  @MainActor init(main container: ModelContainer) {
    core = ContextCore(container.core)
    strongContainer = nil
    weakContainer = container
    migrationPlan = container.migrationPlan
    core.modelContext = self
    let autosave = Autosave()
    autosave.isMain = true
    autosave.isEnabled = true
    self.autosave = autosave
    core.whenDirtied = { [weak self] in self?.scheduleAutosave() }
  }

  deinit { core.close() }

  private func scheduleAutosave() {
    guard let autosave, autosave.isEnabled, autosave.isMain, !autosave.isScheduled else { return }
    autosave.isScheduled = true
    nonisolated(unsafe) let autosaved = WeakContext(self)
    Task { @MainActor in
      try? await Task.sleep(for: Autosave.delay)
      autosaved.context?.runAutosave()
    }
  }

  private func runAutosave() {
    autosave?.isScheduled = false
    guard autosave?.isEnabled == true, hasChanges else { return }
    do { try save() } catch { core.log(error, "saving automatically") }
  }

  private struct WeakContext {
    weak var context: ModelContext?
    init(_ context: ModelContext) { self.context = context }
  }

  /// When a context saves by itself.
  private final class Autosave {
    var isEnabled = false
    var isMain = false
    var isScheduled = false

    /// How long changes are gathered.
    static let delay = Duration.milliseconds(250)
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

  /// Applies delete rules and what other contexts have saved, without saving.
  public func processPendingChanges() {
    core.adoptSavedChanges()
    core.synchronizeAliases()
    // What cannot be read is decided by the save, or keeps it from going on.
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

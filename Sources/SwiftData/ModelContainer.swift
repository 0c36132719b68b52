internal import Logging
internal import ManagedModel
internal import StoreRequests
internal import Synchronization

/// The open stores of a schema, with the main context.
///
///     let container = try ModelContainer(for: Book.self, Author.self)
///     let books = try container.mainContext.fetch(FetchDescriptor<Book>())
///
/// Makes a store that does not exist. Opens a store of Core Data or SwiftData if its entities match the classes.
/// Leaves the rows of entities without a class unchanged. Apple: `ModelContainer`.
public final class ModelContainer: @unchecked Sendable {  // immutable, but for what a lock or the main actor guards
  /// All entities of the stores.
  public let schema: Schema
  /// The plan for migrating older stores to the schema; without one, the changes are inferred.
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// The configurations of the stores in Core Data's layout, without those of custom stores.
  ///
  /// Assigning them opens and closes no store: the property returns the assigned set from then on, and a warning is logged if it
  /// differs. Make another container for other stores. Apple: `ModelContainer.configurations`, which can be set, too; its
  /// documentation does not say what becomes of open stores.
  public var configurations: Set<ModelConfiguration> {
    get {
      assignedConfigurations.withLock { $0 } ?? Set(core.stores.map(\.configuration).filter { $0.dataStore == nil })
    }
    set {
      if newValue != configurations {
        Logger(label: "SwiftData").warning(
          "ModelContainer.configurations was assigned: the open stores stay as they are. Make another container for other stores."
        )
      }
      assignedConfigurations.withLock { $0 = newValue }
    }
  }
  private let assignedConfigurations = Mutex<Set<ModelConfiguration>?>(nil)
  let core: ContainerCore
  @MainActor private var main: ModelContext?

  /// Opens the stores of the given classes and of classes that their relationships reach.
  ///
  /// - Parameters:
  ///   - types: the classes.
  ///   - migrationPlan: brings older stores to the classes; without a plan, changes are inferred.
  ///   - configurations: one for each store; the default place if none is given.
  /// - Throws: ``SwiftDataError``, usually `loadIssueModelContainer` with the path, the cause and the remedy.
  public convenience init(
    for types: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of a schema.
  ///
  /// See the initializer with a list of configurations.
  /// - Throws: ``SwiftDataError``, usually `loadIssueModelContainer` with the path, the cause and the remedy.
  public convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
  ) throws {
    try self.init(for: schema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of a schema.
  ///
  /// The store of a configuration with a schema keeps the entities of that schema. The store of a configuration without one keeps the
  /// entities that no configuration's schema has. An entity in several configurations has objects in each of their stores: fetches merge them, and a new object goes
  /// to the store of an object that it leads to, or to the first store that allows saving.
  /// - Throws: ``SwiftDataError``, usually `loadIssueModelContainer` with the path, the cause and the remedy.
  public init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration]
  ) throws {
    self.schema = schema
    self.migrationPlan = migrationPlan
    core = try ContainerOpening(
      schema: schema, migrationPlan: migrationPlan,
      configurations: configurations.isEmpty ? [ModelConfiguration()] : configurations
    ).open()
    core.jointSaves.complete(in: core.stores)
    core.publicContainer = self
    OpenContainers.add(core)
  }

  init(core: ContainerCore, migrationPlan: (any SchemaMigrationPlan.Type)?) {
    schema = core.schema
    self.core = core
    self.migrationPlan = migrationPlan
    core.publicContainer = self
    OpenContainers.add(core)
  }

  /// The context of the main actor; it saves automatically (``ModelContext/autosaveEnabled``).
  @MainActor public var mainContext: ModelContext {
    if let main { return main }
    let context = ModelContext(main: self)
    main = context
    return context
  }

  /// Deletes all objects of the model classes at once, without delete rules and without regard to unsaved changes of
  /// contexts.
  ///
  /// Each store deletes its objects in one transaction, which its history has. No object is loaded. Objects of classes that the schema
  /// does not mention stay, except those that a fetch takes for objects of a superclass.
  /// Apple: `ModelContainer.erase()`, which removes the stores' files. Here the files remain, so open connections stay
  /// valid.
  /// - Throws: ``SwiftDataError``; the stores before the one that fails are erased. `modelValidationFailure` if an object that stays
  ///   requires one that goes.
  public func erase() throws {
    for store in core.stores { core.announce(try store.erase(), from: nil) }
  }

  /// Deletes all objects and ignores errors; deprecated by Apple in favour of ``erase()``.
  @available(*, deprecated, renamed: "erase")
  public func deleteAllData() { try? erase() }
}

extension ModelContainer: Equatable {
  /// Whether two containers have the same stores open.
  public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left.core === right.core }
}

extension SwiftDataError {
  static func readOnly(_ store: OpenStore) -> SwiftDataError {
    SwiftDataError(
      .storeFailure,
      "The store \(store.configuration.debugDescription) is open for reading only: make its configuration with allowsSave: true."
    )
  }
}

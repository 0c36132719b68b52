internal import CoreDataStore
internal import ManagedModel
internal import Synchronization

/// The stores of a schema, open, and the main context on them.
///
///     let container = try ModelContainer(for: Book.self, Author.self)
///     let books = try container.mainContext.fetch(FetchDescriptor<Book>())
///
/// A store that is not there is made; one that Core Data or SwiftData wrote is opened if the classes' entities are its own.
/// Entities that no class mentions are left as they are. Apple: `ModelContainer`.
public final class ModelContainer: @unchecked Sendable {  // immutable, but for what is the main actor's
  /// All entities of the stores.
  public let schema: Schema
  /// The plan by which older stores are to be brought to the schema. Migration is not implemented yet: a store of another
  /// version is an error.
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// Where the stores are.
  public var configurations: Set<ModelConfiguration> { Set(core.stores.map(\.configuration)) }
  let core: ContainerCore
  @MainActor private var main: ModelContext?

  /// Opens the stores of some classes, and of those they have relationships with.
  ///
  /// - Parameter configurations: where the stores are; the default place if none is given.
  /// - Throws: ``SwiftDataError``, usually `loadIssueModelContainer` with the path, the cause and the way out.
  public convenience init(
    for types: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of a schema. See ``init(for:migrationPlan:configurations:)-([any PersistentModel.Type],_,_)``.
  public convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
  ) throws {
    try self.init(for: schema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of a schema.
  ///
  /// Several configurations divide the entities by their schemas; one without a schema takes the entities that no other has.
  /// - Throws: ``SwiftDataError``
  public init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration]
  ) throws {
    self.schema = schema
    self.migrationPlan = migrationPlan
    core = try ContainerOpening(
      schema: schema, migrationPlan: migrationPlan,
      configurations: configurations.isEmpty ? [ModelConfiguration()] : configurations
    ).open()
  }

  init(core: ContainerCore, migrationPlan: (any SchemaMigrationPlan.Type)?) {
    schema = core.schema
    self.core = core
    self.migrationPlan = migrationPlan
  }

  /// The context for the main actor; it saves by itself (``ModelContext/autosaveEnabled``).
  @MainActor public var mainContext: ModelContext {
    if let main { return main }
    let context = ModelContext(main: self)
    main = context
    return context
  }

  /// Deletes all objects of all entities that have a class, at once, past all contexts and delete rules.
  ///
  /// Apple: `ModelContainer.erase()`, which removes the stores' files; here the files stay, so that open connections stay valid.
  /// - Throws: ``SwiftDataError``
  public func erase() throws {
    for store in core.stores {
      guard store.configuration.allowsSave else { throw SwiftDataError.readOnly(store) }
      var deleted = SavedChanges()
      var changes = ChangeSet()
      for binding in store.ownBindings {
        let request = FetchRequest(entityName: binding.name, includesSubentities: false)
        for key in try store.reporting({ try $0.keys(request) }) {
          changes.deletions.append(.init(object: key, version: nil))
          deleted.deleted.append(PersistentIdentifier(binding.reference, key: key.key))
        }
      }
      _ = try store.reporting { try $0.save(changes) }
      core.announce(deleted, from: nil)
    }
  }

  /// Deletes all objects. Apple has deprecated it for ``erase()``; errors are ignored.
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

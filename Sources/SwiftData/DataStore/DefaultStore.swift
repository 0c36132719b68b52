/// The store of a ``ModelConfiguration`` in the form of a ``DataStore``, for stores that pass requests on to one.
///
/// A container does not use it: it asks the engine below directly. It answers with snapshots, and each request costs a context.
/// Apple: `DefaultStore`.
public final class DefaultStore: DataStore, DataStoreBatching, @unchecked Sendable {  // immutable
  /// The configuration of the store.
  public typealias Configuration = ModelConfiguration
  /// The form in which the store takes and gives objects.
  public typealias Snapshot = DefaultSnapshot

  /// The configuration that the store was made from.
  public let configuration: ModelConfiguration
  /// The entities of the store.
  public let schema: Schema
  /// The UUID in the store's metadata, which stays the same each time the store is opened.
  public let identifier: String
  /// The configuration's name.
  public var name: String { configuration.name }
  private let snapshots: ContainerSnapshots
  var container: ModelContainer { snapshots.container }

  /// Opens the store; makes one if there is none.
  ///
  /// - Parameters:
  ///   - configuration: has a schema.
  ///   - migrationPlan: brings an older store to the schema; without a plan, changes are inferred.
  /// - Throws: ``SwiftDataError``
  public init(_ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "\(configuration.debugDescription) has no schema: a DefaultStore is made from a configuration with one.")
    }
    let container = try ModelContainer(for: schema, migrationPlan: migrationPlan, configurations: [configuration])
    snapshots = ContainerSnapshots(container, name: configuration.name)
    self.configuration = configuration
    self.schema = schema
    identifier = snapshots.identifier
  }

  /// Deletes all objects by one request.
  ///
  /// - Throws: ``SwiftDataError``, usually `storeFailure`.
  public func erase() throws { try snapshots.erase() }

  /// The objects that a descriptor selects, and those of the relationships to prefetch.
  ///
  /// - Throws: ``SwiftDataError``, as `ModelContext.fetch(_:)`.
  public func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> { try snapshots.fetch(request) }

  /// The number of objects that a descriptor selects; loads no objects.
  ///
  /// - Throws: ``SwiftDataError``, as `ModelContext.fetchCount(_:)`.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try snapshots.fetchCount(request)
  }

  /// The identifiers of the objects that a descriptor selects; loads no objects.
  ///
  /// - Throws: ``SwiftDataError``, as `ModelContext.fetchIdentifiers(_:)`.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] { try snapshots.fetchIdentifiers(request) }

  /// The objects of these identifiers; an identifier without a row is left out.
  ///
  /// - Throws: ``SwiftDataError``, usually `storeFailure`.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try snapshots.cachedSnapshots(for: persistentIdentifiers, editingState: editingState)
  }

  /// Writes the changes in one transaction, and tells its position in the store's history.
  ///
  /// - Throws: ``SwiftDataError``, also for a changed object that the store does not have.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> { try snapshots.save(request) }

  /// Deletes the objects that a predicate selects, with their delete rules.
  ///
  /// - Throws: ``SwiftDataError``; then no object is deleted.
  public func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    try snapshots.delete(request)
  }
}

/// A store that a program writes: it keeps objects in any form, and exchanges snapshots with SwiftData.
///
///     final class JSONStore: DataStore {
///       typealias Configuration = JSONStoreConfiguration
///       typealias Snapshot = DefaultSnapshot
///       …
///     }
///     let container = try ModelContainer(for: Book.self, configurations: JSONStoreConfiguration(name: "books", url: url))
///
/// A container makes the store from its configuration. It calls the store from one thread at a time, but not always from the
/// same thread. An error that the store throws is the `underlyingError` of the ``SwiftDataError`` that the context throws.
/// Apple: `DataStore`.
public protocol DataStore: AnyObject {
  /// The type that describes one store.
  associatedtype Configuration: DataStoreConfiguration where Self == Configuration.Store
  /// The values of one object, as the store takes and gives them.
  associatedtype Snapshot: DataStoreSnapshot

  /// The name of the store, which no other store has. It is a part of each object's identifier, so it stays the same each
  /// time the store is opened. Containers of a process that open this type of store with equal configurations and equal names see one
  /// another's saves.
  var identifier: String { get }
  /// The entities of the store.
  var schema: Schema { get }
  /// The configuration that the store was made from.
  var configuration: Configuration { get }

  /// Opens the store.
  ///
  /// - Parameters:
  ///   - configuration: its schema is the container's, if the program gave none.
  ///   - migrationPlan: the container's plan; the store carries it out.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Removes all objects. The default throws ``DataStoreError/unsupportedFeature``; the container then deletes each object.
  func erase() throws

  /// The objects that a descriptor selects, in its order.
  ///
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` to be asked again without the predicate and the limits, or
  ///   ``DataStoreError/preferInMemorySort`` to be asked again without the order and the limits; SwiftData then does that
  ///   work in memory.
  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>

  /// The number of objects that a descriptor selects. The default counts the result of ``fetch(_:)``.
  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int

  /// The identifiers of the objects that a descriptor selects. The default takes them from the result of ``fetch(_:)``.
  func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]

  /// Writes all changes of a save, or throws and writes none.
  ///
  /// - Returns: the permanent identifier of each inserted object.
  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>

  /// Called before the first request of a context. The default does nothing.
  func initializeState(for editingState: EditingState)

  /// Called when a context ends. The default does nothing.
  func invalidateState(for editingState: EditingState)

  /// The objects of these identifiers that the store has at hand. The default has none; SwiftData then fetches them.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// Throws ``DataStoreError/unsupportedFeature``.
  public func erase() throws { throw DataStoreError.unsupportedFeature }

  /// Counts the result of ``fetch(_:)``.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try selected(fetch(request), by: request).count
  }

  /// Takes the identifiers from the result of ``fetch(_:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try selected(fetch(request), by: request).map(\.persistentIdentifier)
  }

  /// Does nothing.
  public func initializeState(for editingState: EditingState) {}

  /// Does nothing.
  public func invalidateState(for editingState: EditingState) {}

  /// No snapshots.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// A store that deletes objects without loading them, for ``ModelContext/delete(model:where:includeSubclasses:)``.
///
/// Apple: `DataStoreBatching`.
public protocol DataStoreBatching: DataStore {
  /// Deletes the objects that a predicate selects, or throws and deletes none. They have no relationships.
  ///
  /// - Throws: ``DataStoreError`` to be given the objects instead, in ``DataStore/save(_:)``.
  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws
}

/// The description of one store of a container; its type tells the type of the store. Apple: `DataStoreConfiguration`.
public protocol DataStoreConfiguration: Hashable {
  /// The type of the store.
  associatedtype Store: DataStore where Self == Store.Configuration

  /// The configuration's name; each configuration of a container has a name of its own.
  var name: String { get }
  /// The entities that the store keeps; `nil` for the entities that no schema of another configuration of the container has.
  var schema: Schema? { get set }
  /// Checks the configuration before the store is opened. The default accepts it.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Accepts the configuration.
  public func validate() throws {}
}

extension ModelConfiguration: DataStoreConfiguration {
  /// The store of a model configuration.
  public typealias Store = DefaultStore
}

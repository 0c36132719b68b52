extension PublicSignatures {
  /// Apple's declarations of custom stores, and the default store.
  static let stores = """
    DataStore:
      protocol DataStore: AnyObject
      associatedtype Configuration: DataStoreConfiguration where Self == Self.Configuration.Store
      associatedtype Snapshot: DataStoreSnapshot
      init(_: Self.Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws
      func cachedSnapshots(for: [PersistentIdentifier], editingState: EditingState) throws -> [PersistentIdentifier:
         Self.Snapshot]
      func erase() throws
      func fetch<T>(_: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Self.Snapshot> where T:
         PersistentModel
      func fetchCount<T>(_: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel
      func fetchIdentifiers<T>(_: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] where T: PersistentModel
      func initializeState(for: EditingState)
      func invalidateState(for: EditingState)
      func save(_: DataStoreSaveChangesRequest<Self.Snapshot>) throws -> DataStoreSaveChangesResult<Self.Snapshot>
      var configuration: Self.Configuration { get }
      var identifier: String { get }
      var schema: Schema { get }
    extension DataStore:
      func cachedSnapshots(for: [PersistentIdentifier], editingState: EditingState) throws -> [PersistentIdentifier:
         Self.Snapshot]
      func erase() throws
      func fetchCount<T>(_: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel
      func fetchIdentifiers<T>(_: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] where T: PersistentModel
      func initializeState(for: EditingState)
      func invalidateState(for: EditingState)
    DataStoreBatching:
      protocol DataStoreBatching: DataStore
      func delete<T>(_: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
    DataStoreConfiguration:
      protocol DataStoreConfiguration: Hashable
      associatedtype Store: DataStore where Self == Self.Store.Configuration
      func validate() throws
      var name: String { get }
      var schema: Schema? { get set }
    extension DataStoreConfiguration:
      func validate() throws
    DataStoreError:
      enum DataStoreError
      case invalidPredicate
      case preferInMemoryFilter
      case preferInMemorySort
      case unsupportedFeature
    DataStoreFetchRequest:
      struct DataStoreFetchRequest<T> where T: PersistentModel
      var descriptor: FetchDescriptor<T> { get }
      var editingState: EditingState { get }
    DataStoreFetchResult:
      struct DataStoreFetchResult<ModelType, SnapshotType> where ModelType: PersistentModel, SnapshotType:
         DataStoreSnapshot
      init(descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType], relatedSnapshots:
         [PersistentIdentifier: SnapshotType] = [:])
      var descriptor: FetchDescriptor<ModelType> { get }
      var fetchedSnapshots: [SnapshotType] { get }
      var relatedSnapshots: [PersistentIdentifier: SnapshotType] { get }
    DataStoreSaveChangesRequest:
      struct DataStoreSaveChangesRequest<SnapshotType> where SnapshotType: DataStoreSnapshot
      var deleted: [SnapshotType] { get }
      var editingState: EditingState { get }
      var inserted: [SnapshotType] { get }
      var updated: [SnapshotType] { get }
    DataStoreSaveChangesResult:
      class DataStoreSaveChangesResult<T> where T: DataStoreSnapshot
      init(for: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
         snapshotsToReregister: [PersistentIdentifier: T] = [:])
      init(for: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
         snapshotsToReregister: [PersistentIdentifier: T] = [:], historyToken: (any HistoryToken)?)
      var historyToken: (any HistoryToken)? { get }
      var remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] { get }
      var snapshotsToReregister: [PersistentIdentifier: T] { get }
      var storeIdentifier: String { get }
    DataStoreBatchDeleteRequest:
      struct DataStoreBatchDeleteRequest<T> where T: PersistentModel
      var editingState: EditingState { get }
      var includeSubclasses: Bool { get }
      var predicate: Predicate<T>? { get }
    DataStoreSnapshot:
      protocol DataStoreSnapshot: Decodable, Encodable, Sendable
      init(from: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])
      func copy(persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier:
         PersistentIdentifier]?) -> Self
      var persistentIdentifier: PersistentIdentifier { get }
    DataStoreSnapshotCodingKey:
      enum DataStoreSnapshotCodingKey
      case modeledProperty(String)
      case persistentIdentifier
      init?(intValue: Int)
      init?(stringValue: String)
    DefaultSnapshot:
      struct DefaultSnapshot
      init(from: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])
      init(from: any Decoder) throws
      func copy(persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier:
         PersistentIdentifier]? = nil) -> DefaultSnapshot
      var persistentIdentifier: PersistentIdentifier { get }
    DefaultStore:
      class DefaultStore
      typealias Configuration = ModelConfiguration
      typealias Snapshot = DefaultSnapshot
      typealias TokenType = DefaultHistoryToken
      init(_: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil) throws
      func cachedSnapshots(for: [PersistentIdentifier], editingState: EditingState) throws -> [PersistentIdentifier:
         DefaultSnapshot]
      func delete<T>(_: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
      func deleteHistory(_: HistoryDescriptor<DefaultHistoryTransaction>) throws
      func erase() throws
      func fetch<T>(_: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T:
         PersistentModel
      func fetchCount<T>(_: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel
      func fetchHistory(_: HistoryDescriptor<DefaultHistoryTransaction>) throws -> [DefaultHistoryTransaction]
      func fetchIdentifiers<T>(_: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] where T: PersistentModel
      func save(_: DataStoreSaveChangesRequest<DefaultSnapshot>) throws -> DataStoreSaveChangesResult<DefaultSnapshot>
      static var historyType: DefaultHistoryTransaction.Type { get }
      var configuration: ModelConfiguration { get }
      var identifier: String { get }
      var name: String { get }
      var schema: Schema { get }
    """
}

extension PublicSignatures {
  /// Apple's declarations of containers, contexts, fetches and errors.
  static let containers = """
    ModelConfiguration:
      struct ModelConfiguration
      typealias Store = DefaultStore
      init(_: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
         groupContainer: ModelConfiguration.GroupContainer = .automatic, cloudKitDatabase:
         ModelConfiguration.CloudKitDatabase = .automatic)
      init(_: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true, cloudKitDatabase:
         ModelConfiguration.CloudKitDatabase = .automatic)
      init(for: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false)
      init(isStoredInMemoryOnly: Bool = false)
      func validate() throws
      var allowsSave: Bool { get }
      var cloudKitContainerIdentifier: String? { get }
      var cloudKitDatabase: ModelConfiguration.CloudKitDatabase { get }
      var debugDescription: String { get }
      var groupAppContainerIdentifier: String? { get }
      var groupContainer: ModelConfiguration.GroupContainer { get }
      var id: URL { get }
      var isStoredInMemoryOnly: Bool { get }
      var name: String { get }
      var schema: Schema? { get set }
      var url: URL { get }
    ModelConfiguration.CloudKitDatabase:
      struct CloudKitDatabase
      static func private(_: String) -> ModelConfiguration.CloudKitDatabase
      static var automatic: ModelConfiguration.CloudKitDatabase { get }
      static var none: ModelConfiguration.CloudKitDatabase { get }
    ModelConfiguration.GroupContainer:
      struct GroupContainer
      static func identifier(_: String) -> ModelConfiguration.GroupContainer
      static var automatic: ModelConfiguration.GroupContainer { get }
      static var none: ModelConfiguration.GroupContainer { get }
    ModelContainer:
      class ModelContainer
      init(for: Schema, configurations: [any DataStoreConfiguration]) throws
      init(for: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...)
         throws
      init(for: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration])
         throws
      init(for: any PersistentModel.Type..., configurations: any DataStoreConfiguration...) throws
      init(for: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations:
         ModelConfiguration...) throws
      func configurationName(forStoreIdentifier: String) -> String?
      func deleteAllData()
      func erase() throws
      func storeIdentifier(forConfigurationNamed: String) -> String?
      @MainActor var mainContext: ModelContext { get }
      static var remoteChange: Notification.Name { get }
      var configurations: Set<ModelConfiguration> { get set }
      var migrationPlan: (any SchemaMigrationPlan.Type)? { get }
      var schema: Schema { get }
    ModelContext:
      class ModelContext
      init(_: ModelContainer)
      func delete<T>(_: T) where T: PersistentModel
      func delete<T>(model: T.Type, where: Predicate<T>? = nil, includeSubclasses: Bool = true) throws where T:
         PersistentModel
      func deleteHistory<T>(_: HistoryDescriptor<T>) throws where T: HistoryTransaction
      func enumerate<T>(_: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false, block:
         (T) throws -> Void) throws where T: PersistentModel
      func fetch<T>(_: FetchDescriptor<T>) throws -> [T] where T: PersistentModel
      func fetch<T>(_: FetchDescriptor<T>, batchSize: Int) throws -> FetchResultsCollection<T> where T:
         PersistentModel
      func fetchCount<T>(_: FetchDescriptor<T>) throws -> Int where T: PersistentModel
      func fetchHistory<T>(_: HistoryDescriptor<T>) throws -> [T] where T: HistoryTransaction
      func fetchIdentifiers<T>(_: FetchDescriptor<T>) throws -> [PersistentIdentifier] where T: PersistentModel
      func fetchIdentifiers<T>(_: FetchDescriptor<T>, batchSize: Int) throws ->
         FetchResultsCollection<PersistentIdentifier> where T: PersistentModel
      func insert<T>(_: T) where T: PersistentModel
      func model(for: PersistentIdentifier) -> any PersistentModel
      func processPendingChanges()
      func registeredModel<T>(for: PersistentIdentifier) -> T? where T: PersistentModel
      func rollback()
      func save() throws
      func transaction(block: () throws -> Void) throws
      static var didSave: Notification.Name { get }
      static var willSave: Notification.Name { get }
      var author: String? { get set }
      var autosaveEnabled: Bool { get set }
      var changedModelsArray: [any PersistentModel] { get }
      var container: ModelContainer { get }
      var deletedModelsArray: [any PersistentModel] { get }
      var editingState: EditingState { get set }
      var hasChanges: Bool { get }
      var insertedModelsArray: [any PersistentModel] { get }
      var undoManager: UndoManager? { get set }
    ModelContext.NotificationKey:
      enum NotificationKey
      case deletedIdentifiers
      case historyTokens
      case insertedIdentifiers
      case invalidatedAllIdentifiers
      case queryGeneration
      case updatedIdentifiers
    EditingState:
      struct EditingState
      var author: String? { get set }
      var id: UUID { get }
    FetchDescriptor:
      struct FetchDescriptor<T> where T: PersistentModel
      init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = [])
      var fetchLimit: Int? { get set }
      var fetchOffset: Int? { get set }
      var includePendingChanges: Bool { get set }
      var predicate: Predicate<T>? { get set }
      var propertiesToFetch: [PartialKeyPath<T>] { get set }
      var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] { get set }
      var sortBy: [SortDescriptor<T>] { get set }
    FetchResultsCollection:
      struct FetchResultsCollection<Element>
      subscript(_: Int) -> Element { get }
    SwiftDataError:
      struct SwiftDataError
      static func ~= (_: SwiftDataError, _: any Error) -> Bool
      static var backwardMigration: SwiftDataError { get }
      static var configurationFileNameContainsInvalidCharacters: SwiftDataError { get }
      static var configurationFileNameTooLong: SwiftDataError { get }
      static var configurationSchemaNotFoundInContainerSchema: SwiftDataError { get }
      static var duplicateConfiguration: SwiftDataError { get }
      static var historyTokenExpired: SwiftDataError { get }
      static var includePendingChangesWithBatchSize: SwiftDataError { get }
      static var invalidTransactionFetchRequest: SwiftDataError { get }
      static var loadIssueModelContainer: SwiftDataError { get }
      static var missingModelContext: SwiftDataError { get }
      static var modelValidationFailure: SwiftDataError { get }
      static var sortingPendingChangesWithIdentifiers: SwiftDataError { get }
      static var unknownSchema: SwiftDataError { get }
      static var unsupportedKeyPath: SwiftDataError { get }
      static var unsupportedPredicate: SwiftDataError { get }
      static var unsupportedSortDescriptor: SwiftDataError { get }
    """
}

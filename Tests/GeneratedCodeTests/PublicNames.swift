/// The public names of Apple's SwiftData, iOS 17 to 27, without SwiftUI's part: each type with its members.
///
/// Read from Apple's documentation and interfaces. A type without members here has none of its own, or stands for a macro.
/// Symbol graphs leave out names with a first underscore, so the list has none. `BackingDataTests` uses the macros
/// `_PersistedProperty` and `_TransformablePersistedProperty`.
///
/// Two names of iOS 26 are missing here: `BackingData._superClassBackingData(of:)` and `_generateCurrentClassBackingData()`. Only the
/// expansion of Apple's `@Model` for a subclass calls them; this module's expansion passes one state with `init(_$blank:)`.
enum PublicNames {
  static let list = """
    Array: PersistentElement
    Attribute:
    BackingData: Model getTransformableValue getValue init metadata persistentModelID setTransformableValue setValue
    DataStore: Configuration Snapshot cachedSnapshots configuration erase fetch fetchCount fetchIdentifiers
       identifier init initializeState invalidateState save schema
    DataStoreBatchDeleteRequest: editingState includeSubclasses init predicate
    DataStoreBatching: delete
    DataStoreConfiguration: Store name schema validate
    DataStoreError: invalidPredicate preferInMemoryFilter preferInMemorySort unsupportedFeature
    DataStoreFetchRequest: descriptor editingState init
    DataStoreFetchResult: descriptor fetchedSnapshots init relatedSnapshots
    DataStoreSaveChangesRequest: deleted editingState init inserted updated
    DataStoreSaveChangesResult: historyToken init remappedIdentifiers snapshotsToReregister storeIdentifier
    DataStoreSnapshot: copy init persistentIdentifier
    DataStoreSnapshotCodingKey: debugDescription init modeledProperty persistentIdentifier
    DataStoreSnapshotValue:
    DefaultHistoryDelete: TransactionIdentifier changeIdentifier changedPersistentIdentifier tombstone
       transactionIdentifier
    DefaultHistoryInsert: TransactionIdentifier changeIdentifier changedPersistentIdentifier transactionIdentifier
    DefaultHistoryToken: TokenType id init storeIdentifier tokenValue
    DefaultHistoryTransaction: TokenType TransactionIdentifier author bundleIdentifier changes id processIdentifier
       storeIdentifier timestamp token transactionIdentifier
    DefaultHistoryUpdate: TransactionIdentifier changeIdentifier changedPersistentIdentifier transactionIdentifier
       updatedAttributes
    DefaultSerialModelExecutor: asUnownedSerialExecutor enqueue init modelContext
    DefaultSnapshot: copy init persistentIdentifier
    DefaultStore: Configuration Snapshot TokenType cachedSnapshots configuration delete deleteHistory erase fetch
       fetchCount fetchHistory fetchIdentifiers historyType identifier init initializeState invalidateState name
       save schema
    EditingState: author id init
    FetchDescriptor: fetchLimit fetchOffset includePendingChanges init predicate propertiesToFetch
       relationshipKeyPathsForPrefetching sortBy
    FetchResultsCollection: subscript
    HistoryChange: changedPersistentIdentifier delete insert update
    HistoryDelete: Model TransactionIdentifier changeIdentifier changedPersistentIdentifier tombstone
       transactionIdentifier
    HistoryDescriptor: fetchLimit init predicate sortBy
    HistoryInsert: Model TransactionIdentifier changeIdentifier changedPersistentIdentifier transactionIdentifier
    HistoryObserver: authors eventCounter init modelContainer observedModels
    HistoryProviding: deleteHistory fetchHistory historyType
    HistoryToken: TokenType storeIdentifier tokenValue
    HistoryTombstone: init subscript
    HistoryTransaction: TokenType TransactionIdentifier author changes storeIdentifier timestamp token
       transactionIdentifier
    HistoryUpdate: Model TransactionIdentifier changeIdentifier changedPersistentIdentifier transactionIdentifier
       updatedAttributes
    Index:
    MigrationStage: custom lightweight
    Model:
    ModelActor: modelContainer modelContext modelExecutor subscript unownedExecutor
    ModelConfiguration: CloudKitDatabase GroupContainer Store allowsSave cloudKitContainerIdentifier
       cloudKitDatabase debugDescription groupAppContainerIdentifier groupContainer id init isStoredInMemoryOnly
       name schema url validate
    ModelConfiguration.CloudKitDatabase: automatic none private
    ModelConfiguration.GroupContainer: automatic identifier none
    ModelContainer: configurationName configurations deleteAllData erase init mainContext migrationPlan remoteChange
       schema storeIdentifier
    ModelContext: NotificationKey author autosaveEnabled changedModelsArray container delete deleteHistory
       deletedModelsArray didSave editingState enumerate fetch fetchCount fetchHistory fetchIdentifiers hasChanges
       init insert insertedModelsArray model processPendingChanges registeredModel rollback save transaction
       undoManager willSave
    ModelContext.NotificationKey: deletedIdentifiers insertedIdentifiers
       historyTokens invalidatedAllIdentifiers queryGeneration updatedIdentifiers
    ModelExecutor: modelContext
    PersistentIdentifier: ID entityName id identifier init storeIdentifier
    PersistentModel: Root createBackingData getTransformableValue getValue hasChanges id init isDeleted modelContext
       persistentBackingData persistentModelID schemaMetadata setTransformableValue setValue
    Predicate: init
    Query: fetchError init modelContext update wrappedValue
    Relationship:
    RelationshipCollection: PersistentElement
    ResultsObserver: element fetchDescriptor filterBy indexPath init modelContext results sectionBy sections sortBy
    ResultsSection: id subscript title
    Schema: Attribute CompositeAttribute Entity Index PropertyMetadata Relationship Unique Version
       debugDescription encodingVersion entities entitiesByName entity entityName init load save
       schemaEncodingVersion version
    Schema.Attribute: Option debugDescription defaultValue hash hashModifier init isAttribute isCodable isOptional isRelationship
       isTransformable isTransient isUnique name options originalName valueType
    Schema.Attribute.Option: allowsCloudEncryption codable ephemeral externalStorage        preserveValueOnDeletion spotlight transformable unique
    Schema.CompositeAttribute: debugDescription init properties
    Schema.Entity: attributes attributesByName debugDescription indices inheritedProperties
       inheritedPropertiesByName init name properties relationships relationshipsByName
       storedProperties storedPropertiesByName subentities superentity superentityName uniquenessConstraints
    Schema.Index: CodingKeys Types debugDescription hash indices init isAttribute isOptional isRelationship isTransient isUnique name
       originalName valueType
    Schema.Index.Types: binary rtree
    Schema.PropertyMetadata: init
    Schema.Relationship: DeleteRule Option deleteRule destination hash hashModifier init inverseKeyPath inverseName
       isAttribute isOptional isRelationship isToOneRelationship isTransient isUnique keypath maximumModelCount
       minimumModelCount name options originalName valueType
    Schema.Relationship.DeleteRule: cascade deny hash init noAction nullify
    Schema.Relationship.Option: unique
    Schema.Unique: CodingKeys constraints debugDescription hash init isAttribute isOptional isRelationship isTransient isUnique name
       originalName valueType
    Schema.Version: description init major minor patch
    SchemaMigrationPlan: schemas stages
    SchemaProperty: isAttribute isOptional isRelationship isTransient isUnique name originalName valueType
    SectionedResults: contains index sectionTitles subscript
    SerialModelExecutor:
    SortDescriptor: init
    SwiftDataError: backwardMigration configurationFileNameContainsInvalidCharacters configurationFileNameTooLong
       configurationSchemaNotFoundInContainerSchema duplicateConfiguration historyTokenExpired
       includePendingChangesWithBatchSize invalidTransactionFetchRequest loadIssueModelContainer missingModelContext
       modelValidationFailure sortingPendingChangesWithIdentifiers unknownSchema unsupportedKeyPath
       unsupportedPredicate unsupportedSortDescriptor ~=
    Transient:
    UndoManager: init
    Unique:
    ValueTransformer: init transformer
    VersionedSchema: models versionIdentifier
    """
}

/// Apple's public declarations with their labels, what is settable, and conformances; iOS 17 to 27, without SwiftUI's part.
///
/// Read from Apple's documentation and interfaces. Initializers of `Query` have `modelContext:` in place of SwiftUI's
/// `animation:` and `transaction:`.
enum PublicSignatures {
  /// Each line a type and its members: functions with their labels, and `=` after a property that can be assigned.
  static let members = """
    BackingData: init(for:) persistentModelID= metadata getValue(forKey:) setValue(forKey:to:) getTransformableValue(forKey:)
       setTransformableValue(forKey:to:)
    DataStore: init(_:migrationPlan:) fetch(_:) fetchCount(_:) fetchIdentifiers(_:) save(_:) erase() initializeState(for:)
       invalidateState(for:) cachedSnapshots(for:editingState:) identifier schema configuration
    DataStoreBatching: delete(_:)
    DataStoreConfiguration: name schema= validate()
    DataStoreFetchResult: init(descriptor:fetchedSnapshots:relatedSnapshots:) descriptor fetchedSnapshots relatedSnapshots
    DataStoreSaveChangesResult: init(for:remappedIdentifiers:snapshotsToReregister:)
       init(for:remappedIdentifiers:snapshotsToReregister:historyToken:) historyToken storeIdentifier
    DataStoreSnapshot: init(from:relatedBackingDatas:) copy(persistentIdentifier:remappedIdentifiers:)
    DefaultHistoryToken: id tokenValue storeIdentifier
    DefaultSerialModelExecutor: init(modelContext:) enqueue(_:) asUnownedSerialExecutor()
    DefaultStore: init(_:migrationPlan:) fetch(_:) save(_:) delete(_:) fetchHistory(_:) deleteHistory(_:)
    EditingState: author id
    FetchDescriptor: init(predicate:sortBy:) predicate= sortBy= fetchLimit= fetchOffset= includePendingChanges=
       propertiesToFetch= relationshipKeyPathsForPrefetching=
    FetchResultsCollection: subscript(_:)
    HistoryDescriptor: init(predicate:) init(predicate:sortBy:) predicate= sortBy= fetchLimit=
    HistoryObserver: init(historyTokens:observedModels:authors:modelContainer:isolation:) eventCounter
    HistoryProviding: fetchHistory(_:) deleteHistory(_:)
    HistoryToken: tokenValue storeIdentifier
    HistoryTombstone: subscript(_:)
    MigrationStage: lightweight(fromVersion:toVersion:) custom(fromVersion:toVersion:willMigrate:didMigrate:)
    ModelActor: subscript(_:as:) unownedExecutor modelContext modelExecutor modelContainer
    ModelConfiguration: init(isStoredInMemoryOnly:) init(for:isStoredInMemoryOnly:)
       init(_:schema:isStoredInMemoryOnly:allowsSave:groupContainer:cloudKitDatabase:)
       init(_:schema:url:allowsSave:cloudKitDatabase:) schema= url name validate()
    ModelConfiguration.CloudKitDatabase: automatic none private(_:)
    ModelConfiguration.GroupContainer: automatic none identifier(_:)
    ModelContainer: init(for:migrationPlan:configurations:) init(for:configurations:) configurations= mainContext schema
       migrationPlan erase() deleteAllData() storeIdentifier(forConfigurationNamed:) configurationName(forStoreIdentifier:)
    ModelContext: init(_:) insert(_:) delete(_:) delete(model:where:includeSubclasses:) fetch(_:) fetch(_:batchSize:)
       fetchCount(_:) fetchIdentifiers(_:) fetchIdentifiers(_:batchSize:)
       enumerate(_:batchSize:allowEscapingMutations:block:) model(for:) registeredModel(for:) processPendingChanges()
       rollback() save() transaction(block:) autosaveEnabled= undoManager= author= editingState= container hasChanges
       fetchHistory(_:) deleteHistory(_:)
    ModelContext.NotificationKey: historyTokens init(rawValue:)
    PersistentIdentifier: identifier(for:entityName:primaryKey:) init(from:) encode(to:)
    PersistentModel: init(backingData:) persistentBackingData= createBackingData() getValue(forKey:) setValue(forKey:to:)
       getTransformableValue(forKey:) setTransformableValue(forKey:to:)
    Predicate: init(all:) init(any:)
    Query: init() init(_:modelContext:) init(_:sectionBy:modelContext:) init(filter:sort:modelContext:)
       init(filter:sort:sectionBy:modelContext:) init(filter:sort:order:modelContext:)
       init(filter:sort:order:sectionBy:modelContext:) modelContext fetchError wrappedValue update()
    ResultsObserver: init(fetchDescriptor:modelContext:isolation:) init(fetchDescriptor:modelContainer:isolation:)
       init(filterBy:sortBy:modelContext:isolation:) init(filterBy:sortBy:modelContainer:isolation:)
       init(fetchDescriptor:sectionBy:modelContext:isolation:) init(fetchDescriptor:sectionBy:modelContainer:isolation:)
       init(filterBy:sortBy:sectionBy:modelContext:isolation:) init(filterBy:sortBy:sectionBy:modelContainer:isolation:)
       element(at:) indexPath(for:) filterBy= sortBy= sectionBy results sections fetchDescriptor
    ResultsSection: subscript(_:) title id
    Schema: init() init(_:version:) init(versionedSchema:) save(to:) load(from:) entity(for:) entityName(for:)
    Schema.Attribute: init(_:originalName:hashModifier:)
       init(name:originalName:options:valueType:defaultValue:hashModifier:) name= originalName= options= valueType=
       defaultValue= isOptional= hashModifier= isUnique isTransformable isCodable debugDescription init(from:) encode(to:)
    Schema.Attribute.Option: transformable(by:) debugDescription
    Schema.CompositeAttribute: init(name:originalName:options:valueType:defaultValue:hashModifier:) init(from:) encode(to:)
       properties= ==(_:_:) debugDescription
    Schema.Entity: init(_:) init(_:properties:) init(_:subentities:properties:) name= subentities= superentityName=
       superentity= storedProperties= inheritedProperties= properties attributes= relationships= attributesByName=
       relationshipsByName= storedPropertiesByName= inheritedPropertiesByName= uniquenessConstraints= indices=
    Schema.Index: init(_:) indices debugDescription
    Schema.Index.CodingKeys: indices
    Schema.Index.Types: binary(_:) rtree(_:)
    Schema.PropertyMetadata: init(name:keypath:defaultValue:metadata:)
    Schema.Relationship:
       init(_:deleteRule:minimumModelCount:maximumModelCount:originalName:inverse:hashModifier:) name= originalName=
       options= valueType= keypath= destination= deleteRule= inverseName= inverseKeyPath= minimumModelCount=
       maximumModelCount= hashModifier= isToOneRelationship debugDescription
    Schema.Relationship.Option: debugDescription
    Schema.Unique: init(_:) constraints debugDescription
    Schema.Unique.CodingKeys: constraints
    Schema.Version: init(_:_:_:) description
    SchemaProperty: name= originalName= valueType=
    SectionedResults: subscript(_:) subscript(sectionTitle:) index(ofSectionTitled:) contains(sectionTitle:) sectionTitles
    SortDescriptor: init(_:order:) init(_:comparator:order:)
    SwiftDataError: ~=(_:_:)
    UndoManager: registerUndo(withTarget:handler:) beginUndoGrouping() endUndoGrouping() undo() redo() setActionName(_:)
       levelsOfUndo= groupsByEvent= runLoopModes= canUndo canRedo
    ValueTransformer: init(forName:) transformedValue(_:) reverseTransformedValue(_:) setValueTransformer(_:forName:)
       valueTransformerNames()
    """

  /// Each line a type and the protocols that Apple's pages list for it.
  static let conformances = """
    DataStoreError: Error Hashable
    DefaultHistoryDelete: HistoryDelete
    DefaultHistoryInsert: HistoryInsert
    DefaultHistoryToken: HistoryToken Comparable Codable Hashable Identifiable Sendable
    DefaultHistoryTransaction: HistoryTransaction Hashable Identifiable Sendable
    DefaultHistoryUpdate: HistoryUpdate
    DefaultSerialModelExecutor: SerialModelExecutor SerialExecutor Executor Sendable
    DefaultSnapshot: DataStoreSnapshot Codable Sendable
    DefaultStore: DataStore DataStoreBatching HistoryProviding
    EditingState: Identifiable Sendable
    FetchDescriptor: Equatable Sendable
    FetchResultsCollection: RandomAccessCollection BidirectionalCollection Collection Sequence
    HistoryObserver: Observable
    HistoryTombstone: Sequence
    MigrationStage: Sendable
    ModelConfiguration: DataStoreConfiguration Hashable Identifiable Sendable CustomDebugStringConvertible
    ModelConfiguration.CloudKitDatabase: Sendable
    ModelConfiguration.GroupContainer: Sendable
    ModelContainer: Equatable Sendable
    ModelContext: Equatable
    PersistentIdentifier: Hashable Identifiable Comparable Codable Sendable
    ResultsObserver: Observable
    ResultsSection: Identifiable RandomAccessCollection
    Schema: Codable Hashable CustomDebugStringConvertible Sendable
    Schema.Attribute: SchemaProperty Codable Hashable CustomDebugStringConvertible
    Schema.Attribute.Option: Codable Hashable CustomDebugStringConvertible
    Schema.Entity: Codable Hashable CustomDebugStringConvertible
    Schema.Index: SchemaProperty Codable Hashable CustomDebugStringConvertible
    Schema.Index.CodingKeys: CodingKey
    Schema.Relationship: SchemaProperty Codable Hashable CustomDebugStringConvertible
    Schema.Relationship.DeleteRule: Codable RawRepresentable
    Schema.Relationship.Option: Codable Hashable CustomDebugStringConvertible
    Schema.Unique: SchemaProperty Codable Hashable CustomDebugStringConvertible
    Schema.Unique.CodingKeys: CodingKey
    Schema.Version: Codable Comparable Hashable CustomStringConvertible
    SectionedResults: RandomAccessCollection
    SwiftDataError: Error Hashable
    """

  /// What Apple has and this module does not, with the reason.
  static let exceptions: [String: String] = [
    "ModelContext.init(_:)": "init(_:isolation:) takes the place; its isolation has a default and is that of the caller"
  ]
}

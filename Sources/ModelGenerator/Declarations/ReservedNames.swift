import ManagedModel

/// Names that generated source cannot use as they are, because they have a meaning in Swift or SwiftData.
enum ReservedNames {
  /// Types and modules that generated source, macro expansions and common code use without a qualifier.
  static let types: Set<String> = Set(
    """
    Any AnyObject AnyHashable Self Type Protocol ID Optional Array ArraySlice Dictionary Set String Substring Character
    Bool Int Int8 Int16 Int32 Int64 Int128 UInt UInt8 UInt16 UInt32 UInt64 UInt128 Float Float16 Double Never Void Error
    Result Range ClosedRange Sequence Collection Slice Mirror Codable Encodable Decodable Encoder Decoder CodingKey
    CodingKeys Hashable Hasher Equatable Comparable Identifiable Sendable SendableMetatype CaseIterable
    RawRepresentable CustomStringConvertible ObjectIdentifier KeyPath AnyKeyPath PartialKeyPath WritableKeyPath
    ReferenceWritableKeyPath Task TaskGroup Actor MainActor Executor Clock Duration Regex Unicode StaticString
    Data Date UUID URL Decimal Predicate PredicateExpressions SortDescriptor SortOrder Expression Notification
    NotificationCenter Bundle Calendar Locale TimeZone DateInterval DateComponents Measurement Unit Dimension
    IndexPath IndexSet CharacterSet URLRequest URLSession FileManager JSONEncoder JSONDecoder Process Thread Timer
    Operation OperationQueue Progress Scanner Stream Port RunLoop UserDefaults Formatter Host Pipe AttributedString
    ValueTransformer UndoManager NSObject
    Model Attribute Relationship Transient Unique Index Schema ModelContext ModelContainer ModelConfiguration
    ModelActor ModelExecutor FetchDescriptor FetchResultsCollection PersistentModel PersistentIdentifier
    ContextActivity MigrationOptions MigrationProgress UniquenessPolicy TextSearch UnfinishedSave
    MigrationStage VersionedSchema SchemaMigrationPlan BackingData DataStore DataStoreConfiguration DefaultStore
    EditingState HistoryDescriptor HistoryTransaction HistoryChange HistoryToken HistoryTombstone Query
    SectionedResults ResultsSection ResultsObserver HistoryObserver RelationshipCollection SchemaProperty
    SwiftDataError Observable ObservationRegistrar FetchedProperty Composite CompositeValue SaveConflictPolicy
    ValidationProblem StringSortComparator
    DataStoreBatchDeleteRequest DataStoreBatching DataStoreError DataStoreFetchRequest DataStoreFetchResult
    DataStoreSaveChangesRequest DataStoreSaveChangesResult DataStoreSnapshot DataStoreSnapshotCodingKey
    DataStoreSnapshotValue DefaultHistoryDelete DefaultHistoryInsert DefaultHistoryToken DefaultHistoryTransaction
    DefaultHistoryUpdate DefaultSerialModelExecutor DefaultSnapshot HistoryDelete HistoryInsert HistoryProviding
    HistoryUpdate ModelAggregate ModelUpdate NSValueTransformerName RegisteredTransformer ResultsDifference
    ResultsDifferences ResultsValues SQLQuery SQLRow SerialModelExecutor
    Swift Foundation FoundationEssentials SwiftData Observation CoreData _M _MR
    """.split(whereSeparator: \.isWhitespace).map(String.init))

  /// Names that no property of a model class can have: members of every model class, and words that are invalid even in
  /// backticks. `borrowing` is among them, because its storage `_borrowing` is a keyword.
  static let properties: Set<String> = Set(
    """
    self Self init Type Protocol description debugDescription hash hashValue modelContext persistentModelID
    persistentBackingData schemaMetadata createBackingData getValue setValue getTransformableValue
    setTransformableValue access withMutation observationRegistrar borrowing
    """.split(whereSeparator: \.isWhitespace).map(String.init))

  /// Members of every model class that are truth values. A property of another type, such as `Bool?`, cannot have such a name: where a
  /// truth value fits, Swift reads the member of every class.
  static let truthValues: Set<String> = ["isDeleted", "hasChanges"]

  /// Members of every schema's namespace.
  static let schemaMembers: Set<String> = [
    "models", "versionIdentifier", "fetchRequests", "configurations", "init", "self", "Self", "Type", "Protocol",
  ]

  /// Members of every `Codable` structure.
  static let elements: Set<String> = ["self", "Self", "init", "Type", "Protocol", "hashValue", "CodingKeys"]

  /// Members of every enumeration with raw values.
  static let cases: Set<String> = [
    "self", "Self", "init", "Type", "Protocol", "rawValue", "hashValue", "allCases", "RawValue", "AllCases",
  ]

  /// Keywords. As identifiers they need backticks.
  static let keywords: Set<String> = Set(
    """
    associatedtype class deinit enum extension fileprivate func import init inout internal let open operator private
    precedencegroup protocol public rethrows static struct subscript typealias var break case catch continue default
    defer do else fallthrough for guard if in repeat return throw switch where while Any as await false is nil self Self
    super throws true try _ any some each copy consume borrow discard unsafe yield then package nonisolated
    """.split(whereSeparator: \.isWhitespace).map(String.init))
}

extension PropertyDescription {
  /// Whether the property's type in Swift is `Bool`.
  var isTruthValue: Bool {
    guard case .attribute(let attribute) = self else { return false }
    return attribute.type == .boolean && !attribute.isOptional
  }
}

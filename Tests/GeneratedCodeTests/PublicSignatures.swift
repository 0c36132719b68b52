/// Apple's public declarations and conformances; iOS 17 to 27, without SwiftUI's part and the macros `@Model` and `@Query`.
///
/// Read from Apple's documentation and interfaces. The names of parameters that callers do not see are left out, and `let x: T` is written
/// `var x: T { get }`.
enum PublicSignatures {
  /// Declarations by the type they stand in. Those in an extension of a protocol stand under `extension Name`.
  static let declarations: [(place: String, declaration: String)] =
    [models, schema, containers, stores, history, observation].flatMap(entries)

  /// The lines of a list: a type and a colon; below it, with two blanks, its declarations; with more blanks, the rest of one.
  private static func entries(_ list: String) -> [(place: String, declaration: String)] {
    var entries: [(place: String, declaration: String)] = []
    var place = ""
    for line in list.split(separator: "\n") {
      let indentation = line.prefix { $0 == " " }.count
      let text = String(line.dropFirst(indentation))
      switch indentation {
      case 0: place = text.replacing("macros:", with: ":").dropLast().description
      case 2: entries.append((place, text))
      default: entries[entries.count - 1].declaration += " " + text
      }
    }
    return entries
  }

  /// Each line a type and its members by their labels, and `=` after a property that can be assigned: types of Foundation that it lacks on
  /// Linux, and `Query`, whose initializers have `modelContext:` in place of SwiftUI's `animation:` and `transaction:`.
  static let labels = """
    Predicate: init(all:) init(any:)
    Query: init() init(_:modelContext:) init(_:sectionBy:modelContext:) init(filter:sort:modelContext:)
       init(filter:sort:sectionBy:modelContext:) init(filter:sort:order:modelContext:)
       init(filter:sort:order:sectionBy:modelContext:) modelContext fetchError wrappedValue update()
    ResultsObserver: sectionBy
    SortDescriptor: init(_:order:) init(_:comparator:order:)
    UndoManager: registerUndo(withTarget:handler:) beginUndoGrouping() endUndoGrouping() undo() redo() setActionName(_:)
       levelsOfUndo= groupsByEvent= runLoopModes= canUndo canRedo
    ValueTransformer: init(forName:) transformedValue(_:) reverseTransformedValue(_:) setValueTransformer(_:forName:)
       valueTransformerNames()
    """

  /// Each line a type and the protocols that Apple's pages list for it.
  static let conformances = """
    DataStoreBatchDeleteRequest: Sendable
    DataStoreError: Error Hashable
    DataStoreFetchRequest: Sendable
    DataStoreFetchResult: Sendable
    DataStoreSaveChangesRequest: Sendable
    DataStoreSaveChangesResult: Sendable
    DataStoreSnapshotCodingKey: CodingKey Sendable CustomStringConvertible CustomDebugStringConvertible
    DefaultHistoryDelete: HistoryDelete Sendable
    DefaultHistoryInsert: HistoryInsert Sendable
    DefaultHistoryToken: HistoryToken Comparable Codable Hashable Identifiable Sendable
    DefaultHistoryTransaction: HistoryTransaction Hashable Identifiable Sendable
    DefaultHistoryUpdate: HistoryUpdate Sendable
    DefaultSerialModelExecutor: SerialModelExecutor SerialExecutor Executor Sendable
    DefaultSnapshot: DataStoreSnapshot Codable Sendable
    DefaultStore: DataStore DataStoreBatching HistoryProviding
    EditingState: Identifiable Sendable
    FetchDescriptor: Equatable Sendable
    FetchResultsCollection: RandomAccessCollection BidirectionalCollection Collection Sequence
    HistoryChange: Sendable
    HistoryObserver: Observable
    HistoryTombstone: Sequence Sendable
    MigrationStage: Sendable
    ModelConfiguration: DataStoreConfiguration Hashable Identifiable Sendable CustomDebugStringConvertible
    ModelConfiguration.CloudKitDatabase: Sendable
    ModelConfiguration.GroupContainer: Sendable
    ModelContainer: Equatable Sendable
    ModelContext: Equatable
    ModelContext.NotificationKey: RawRepresentable Hashable
    ModelExecutor: Executor
    PersistentIdentifier: Hashable Identifiable Comparable Codable Sendable
    PersistentIdentifier.ID: Hashable Sendable
    ResultsObserver: Observable
    ResultsSection: Identifiable RandomAccessCollection
    Schema: Codable Hashable CustomDebugStringConvertible Sendable
    Schema.Attribute: SchemaProperty Codable Hashable CustomDebugStringConvertible
    Schema.Attribute.Option: Codable Hashable CustomDebugStringConvertible
    Schema.Entity: Codable Hashable CustomDebugStringConvertible
    Schema.Index: SchemaProperty Codable Hashable CustomDebugStringConvertible
    Schema.Index.CodingKeys: CodingKey Hashable Sendable
    Schema.Relationship: SchemaProperty Codable Hashable CustomDebugStringConvertible
    Schema.Relationship.DeleteRule: Codable RawRepresentable
    Schema.Relationship.Option: Codable Hashable CustomDebugStringConvertible
    Schema.Unique: SchemaProperty Codable Hashable CustomDebugStringConvertible
    Schema.Unique.CodingKeys: CodingKey Hashable Sendable
    Schema.Version: Codable Comparable Hashable CustomStringConvertible
    SectionedResults: RandomAccessCollection
    SwiftDataError: Error Hashable
    """

  /// Apple's declarations that this module has in another form, with the reason.
  static let exceptions: [String: String] = [
    "Schema.PropertyMetadata: "
      + "init(name: String, keypath: AnyKeyPath, defaultValue: Any? = nil, metadata: (any SchemaProperty)? = nil)":
      "the default is an autoclosure, so that a default such as Date.now is not made before it is needed",
    "ResultsObserver: var sections: SectionedResults<Element, SectionTitle>? { get set }":
      "only the observer knows its sections",
  ]

  /// Cases of enumerations, and requirements of protocols, that Apple's have not, with the reason. Apple's enumerations are not frozen.
  static let additions: [String: String] = [
    "MigrationStage": "sideBySide and sql are further stages",
    "ModelContext.NotificationKey": "a save also names dropped and merged objects, and custom stores",
    "Schema.Index.Types": "named is an index of a Core Data model",
  ]
}

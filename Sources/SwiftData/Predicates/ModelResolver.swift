internal import StoreRequests

/// Answers questions about model classes, for the translation of predicates and sort descriptors.
protocol ModelResolver {
  /// What the store can do of a fetch; the rest is done in memory.
  var capabilities: StoreCapabilities { get }

  /// Whether the store selects the very objects for which a condition is true; if not, it selects these and perhaps others.
  func decides(_ condition: FetchExpression, about type: any PersistentModel.Type) throws -> Bool

  /// Whether the store sorts by a term as memory does.
  func sorts(by term: SortTerm, _ type: any PersistentModel.Type) throws -> Bool

  /// The entities of the store.
  var entities: EntityTable { get }

  /// The entity of a model class.
  ///
  /// - Throws: ``UnsupportedExpression`` for a class that is not in the schema.
  func entityName(of type: any PersistentModel.Type) throws -> String

  /// The persisted properties along a key path from a model class.
  ///
  /// - Throws: ``UnsupportedExpression`` for a key path to anything else.
  func route(of keyPath: AnyKeyPath, from type: any PersistentModel.Type) throws -> [KeyPathStep]

  /// The row of a captured identifier or object; `nil` if it has no row yet, or belongs to another store.
  func objectKey(of identifier: PersistentIdentifier) -> ObjectKey?
}

/// A step of a key path over model classes. Names are persistent names.
enum KeyPathStep {
  /// An attribute, or a composite's element, with a single column. `isOpaque` means that the store cannot inspect its
  /// values.
  case attribute(name: String, element: [String], isOpaque: Bool)
  /// An attribute, or a composite's element, with several columns.
  case composite(name: String, element: [String], CompositeDescription)
  case toOne(name: String, any PersistentModel.Type)
  case toMany(name: String, any PersistentModel.Type)
  /// `persistentModelID`, and `id` if it is the same.
  case identifier
}

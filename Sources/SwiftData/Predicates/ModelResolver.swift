internal import StoreRequests

/// What the translation of predicates and sort descriptors asks of the model classes.
protocol ModelResolver {
  /// What the store can do of a fetch; the rest is done in memory.
  var capabilities: StoreCapabilities { get }

  /// The entities of the store.
  var entities: EntityTable { get }

  /// The entity of a model class.
  ///
  /// - Throws: ``UnsupportedExpression`` for a class that is not in the schema.
  func entityName(of type: any PersistentModel.Type) throws -> String

  /// The persisted properties that a key path from a model class leads through.
  ///
  /// - Throws: ``UnsupportedExpression`` if it leads to something else.
  func route(of keyPath: AnyKeyPath, from type: any PersistentModel.Type) throws -> [KeyPathStep]

  /// The row that a captured identifier or object stands for; `nil` if it has none (yet), or is of another store.
  func objectKey(of identifier: PersistentIdentifier) -> ObjectKey?
}

/// One step of a key path over model classes; names are persistent ones.
enum KeyPathStep {
  /// An attribute of one column, or the element of a composite that is one; `isOpaque` if the store cannot look into its values.
  case attribute(name: String, element: [String], isOpaque: Bool)
  /// An attribute, or an element, of several columns.
  case composite(name: String, element: [String], CompositeDescription)
  case toOne(name: String, any PersistentModel.Type)
  case toMany(name: String, any PersistentModel.Type)
  /// `persistentModelID`, and `id` where it is the same.
  case identifier
}

extension PublicSignatures {
  /// Apple's declarations of model objects, their backing data, identifiers and actors.
  static let models = """
    Array:
      typealias PersistentElement = Element where Element: PersistentModel
    RelationshipCollection:
      protocol RelationshipCollection
      associatedtype PersistentElement: PersistentModel
    PersistentModel:
      protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype
      associatedtype Root: PersistentModel = Self
      init(backingData: any BackingData<Self>)
      static var schemaMetadata: [Schema.PropertyMetadata] { get }
      var persistentBackingData: any BackingData<Self> { get set }
    extension PersistentModel:
      func getTransformableValue<Value>(forKey: KeyPath<Self, Value>) -> Value
      func getValue<Value, OtherModel>(forKey: KeyPath<Self, Value>) -> Value where Value: Decodable, Value:
         RelationshipCollection, OtherModel == Value.PersistentElement
      func getValue<Value, OtherModel>(forKey: KeyPath<Self, Value>) -> Value where Value: RelationshipCollection,
         OtherModel == Value.PersistentElement
      func getValue<Value>(forKey: KeyPath<Self, Value>) -> Value where Value: Decodable
      func getValue<Value>(forKey: KeyPath<Self, Value>) -> Value where Value: PersistentModel
      func getValue<Value>(forKey: KeyPath<Self, Value?>) -> Value? where Value: PersistentModel
      func setTransformableValue<Value>(forKey: KeyPath<Self, Value>, to: Value)
      func setValue<Value, OtherModel>(forKey: KeyPath<Self, Value>, to: Value) where Value: Encodable, Value:
         RelationshipCollection, OtherModel == Value.PersistentElement
      func setValue<Value, OtherModel>(forKey: KeyPath<Self, Value>, to: Value) where Value: RelationshipCollection,
         OtherModel == Value.PersistentElement
      func setValue<Value>(forKey: KeyPath<Self, Value>, to: Value) where Value: Encodable
      func setValue<Value>(forKey: KeyPath<Self, Value>, to: Value) where Value: PersistentModel
      func setValue<Value>(forKey: KeyPath<Self, Value?>, to: Value?) where Value: PersistentModel
      static func createBackingData<P>() -> some BackingData<P> where P: PersistentModel

      var hasChanges: Bool { get }
      var id: PersistentIdentifier { get }
      var isDeleted: Bool { get }
      var modelContext: ModelContext? { get }
      var persistentModelID: PersistentIdentifier { get }
    BackingData:
      protocol BackingData<Model>
      associatedtype Model: PersistentModel
      init(for: Self.Model.Type)
      func getTransformableValue<Value>(forKey: KeyPath<Self.Model, Value>) -> Value
      func getValue<Value, OtherModel>(forKey: KeyPath<Self.Model, Value>) -> Value where Value: Decodable, Value:
         RelationshipCollection, OtherModel == Value.PersistentElement
      func getValue<Value, OtherModel>(forKey: KeyPath<Self.Model, Value>) -> Value where Value:
         RelationshipCollection, OtherModel == Value.PersistentElement
      func getValue<Value>(forKey: KeyPath<Self.Model, Value>) -> Value where Value: Decodable
      func getValue<Value>(forKey: KeyPath<Self.Model, Value>) -> Value where Value: PersistentModel
      func getValue<Value>(forKey: KeyPath<Self.Model, Value?>) -> Value? where Value: PersistentModel
      func setTransformableValue<Value>(forKey: KeyPath<Self.Model, Value>, to: Value)
      func setValue<Value, OtherModel>(forKey: KeyPath<Self.Model, Value>, to: Value) where Value: Encodable, Value:
         RelationshipCollection, OtherModel == Value.PersistentElement
      func setValue<Value, OtherModel>(forKey: KeyPath<Self.Model, Value>, to: Value) where Value:
         RelationshipCollection, OtherModel == Value.PersistentElement
      func setValue<Value>(forKey: KeyPath<Self.Model, Value>, to: Value) where Value: Encodable
      func setValue<Value>(forKey: KeyPath<Self.Model, Value>, to: Value) where Value: PersistentModel
      func setValue<Value>(forKey: KeyPath<Self.Model, Value?>, to: Value?) where Value: PersistentModel
      var metadata: Any { get }
      var persistentModelID: PersistentIdentifier? { get set }
    PersistentIdentifier:
      struct PersistentIdentifier
      init(from: any Decoder) throws
      static func identifier<Key>(for: String, entityName: String, primaryKey: Key) throws -> PersistentIdentifier
         where Key: Comparable, Key: CustomStringConvertible, Key: Decodable, Key: Encodable, Key: Hashable
      var entityName: String { get }
      var id: PersistentIdentifier.ID { get }
      var storeIdentifier: String? { get }
    PersistentIdentifier.ID:
      struct ID
    ModelActor:
      protocol ModelActor: Actor
      nonisolated var modelContainer: ModelContainer { get }
      nonisolated var modelExecutor: any ModelExecutor { get }
    extension ModelActor:
      subscript<T>(_: PersistentIdentifier, as: T.Type) -> T? where T: PersistentModel { get }
      nonisolated var unownedExecutor: UnownedSerialExecutor { get }
      var modelContext: ModelContext { get }
    ModelExecutor:
      protocol ModelExecutor: Executor
      var modelContext: ModelContext { get }
    SerialModelExecutor:
      protocol SerialModelExecutor: ModelExecutor, SerialExecutor
    DefaultSerialModelExecutor:
      class DefaultSerialModelExecutor
      init(modelContext: ModelContext)
      func asUnownedSerialExecutor() -> UnownedSerialExecutor
      func enqueue(_: consuming ExecutorJob)
      var modelContext: ModelContext { get }
    """
}

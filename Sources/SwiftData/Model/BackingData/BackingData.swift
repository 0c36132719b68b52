/// The values of one object of a model class, by key path.
///
/// The backing data of a class with `@Model` is a view: it reads and writes the object's own storage. A class that contains
/// the expansion of Apple's macro in its source keeps its values in backing data from
/// ``PersistentModel/createBackingData()``. A program may write a type of its own, and make objects from it with
/// `init(backingData:)`.
///
/// Access by key path costs a look-up in a dictionary; the properties of a class with `@Model` never take this way.
/// Apple: `BackingData`.
public protocol BackingData<Model> {
  /// The class of the object.
  associatedtype Model: PersistentModel

  /// Makes backing data without values.
  init(for modelType: Model.Type)

  /// The object's identifier; `nil` for values that belong to no object yet.
  var persistentModelID: PersistentIdentifier? { get set }
  /// Information about the values for tools; here the class's ``PersistentModel/schemaMetadata``.
  var metadata: Any { get }

  /// The value of an attribute.
  func getValue<Value: Decodable>(forKey: KeyPath<Model, Value>) -> Value
  /// The destination of a required to-one relationship.
  func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>) -> Value
  /// The destination of a to-one relationship.
  func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>) -> Value?
  /// The members of a to-many relationship.
  func getValue<Value: RelationshipCollection, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where OtherModel == Value.PersistentElement
  /// The members of a to-many relationship of a decodable collection.
  func getValue<Value: Decodable & RelationshipCollection, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where OtherModel == Value.PersistentElement
  /// The value of a transformable attribute.
  func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value

  /// Replaces the value of an attribute.
  func setValue<Value: Encodable>(forKey: KeyPath<Model, Value>, to newValue: Value)
  /// Replaces the destination of a required to-one relationship.
  func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  /// Replaces the destination of a to-one relationship.
  func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>, to newValue: Value?)
  /// Replaces the members of a to-many relationship.
  func setValue<Value: RelationshipCollection, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where OtherModel == Value.PersistentElement
  /// Replaces the members of a to-many relationship of an encodable collection.
  func setValue<Value: Encodable & RelationshipCollection, OtherModel>(
    forKey: KeyPath<Model, Value>, to newValue: Value
  ) where OtherModel == Value.PersistentElement
  /// Replaces the value of a transformable attribute.
  func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)
}

/// Backing data of this module: one untyped way to read and write a value serves all overloads.
protocol UniformBackingData<Model>: BackingData {
  func value<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value
  func set<Value>(_ newValue: Value, forKey keyPath: KeyPath<Model, Value>)
}

extension UniformBackingData {
  var metadata: Any { Model.schemaMetadata }

  func getValue<Value: Decodable>(forKey keyPath: KeyPath<Model, Value>) -> Value { value(forKey: keyPath) }
  func getValue<Value: PersistentModel>(forKey keyPath: KeyPath<Model, Value>) -> Value {
    value(forKey: keyPath)
  }
  func getValue<Value: PersistentModel>(forKey keyPath: KeyPath<Model, Value?>) -> Value? {
    value(forKey: keyPath)
  }
  func getValue<Value: RelationshipCollection, OtherModel>(forKey keyPath: KeyPath<Model, Value>) -> Value
  where OtherModel == Value.PersistentElement { value(forKey: keyPath) }
  func getValue<Value: Decodable & RelationshipCollection, OtherModel>(
    forKey keyPath: KeyPath<Model, Value>
  ) -> Value where OtherModel == Value.PersistentElement { value(forKey: keyPath) }
  func getTransformableValue<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value { value(forKey: keyPath) }

  func setValue<Value: Encodable>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
    set(newValue, forKey: keyPath)
  }
  func setValue<Value: PersistentModel>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
    set(newValue, forKey: keyPath)
  }
  func setValue<Value: PersistentModel>(forKey keyPath: KeyPath<Model, Value?>, to newValue: Value?) {
    set(newValue, forKey: keyPath)
  }
  func setValue<Value: RelationshipCollection, OtherModel>(
    forKey keyPath: KeyPath<Model, Value>, to newValue: Value
  ) where OtherModel == Value.PersistentElement { set(newValue, forKey: keyPath) }
  func setValue<Value: Encodable & RelationshipCollection, OtherModel>(
    forKey keyPath: KeyPath<Model, Value>, to newValue: Value
  ) where OtherModel == Value.PersistentElement { set(newValue, forKey: keyPath) }
  func setTransformableValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
    set(newValue, forKey: keyPath)
  }
}

/// The backing data of an object of a class with `@Model`: a view of the object's own storage.
struct ObjectBackingData<Model: PersistentModel>: UniformBackingData {
  let object: Model

  init(_ object: Model) { self.object = object }

  init(for modelType: Model.Type) { object = Materialization.makeBlank(modelType) }

  /// The object's identifier. Only a context gives an object another one, so setting it has no effect.
  var persistentModelID: PersistentIdentifier? {
    get { object.persistentModelID }
    nonmutating set {}
  }

  func value<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value { object.ownValue(forKey: keyPath) }

  func set<Value>(_ newValue: Value, forKey keyPath: KeyPath<Model, Value>) {
    object.setOwnValue(newValue, forKey: keyPath)
  }
}

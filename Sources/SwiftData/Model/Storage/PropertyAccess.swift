/// A property storage whose value can be read and written when only the caller knows its type.
protocol ValueStorage: _PropertyStorage {
  /// The storage with its value loaded, see the storages' `_resolved`.
  func resolved(for object: some PersistentModel, at property: Int) -> Self
  /// The value; `nil` if it is not of the wanted type.
  func value<Wanted>(_ type: Wanted.Type, for object: some PersistentModel, at property: Int) -> Wanted?
  /// A storage with another value; `nil` if the value is not of the property's type.
  func replacing<Given>(with value: Given) -> Self?
  /// See the storages' `_prepared` and `_didChange`.
  func prepared(for object: some PersistentModel, at property: Int) -> Self
  func didChange(of object: some PersistentModel, at property: Int)
}

extension _AttributeStorage: ValueStorage {
  func resolved(for object: some PersistentModel, at property: Int) -> Self { _resolved(for: object, at: property) }
  func value<Wanted>(_ type: Wanted.Type, for object: some PersistentModel, at property: Int) -> Wanted? {
    _value(for: object, at: property) as? Wanted
  }
  func replacing<Given>(with value: Given) -> Self? { (value as? Value).map { Self($0) } }
  func prepared(for object: some PersistentModel, at property: Int) -> Self { _prepared(for: object, at: property) }
  func didChange(of object: some PersistentModel, at property: Int) {}
}

extension _ToOneStorage: ValueStorage {
  func resolved(for object: some PersistentModel, at property: Int) -> Self { _resolved(for: object, at: property) }
  func value<Wanted>(_ type: Wanted.Type, for object: some PersistentModel, at property: Int) -> Wanted? {
    if type is any OptionalType.Type { return (_value(for: object, at: property) as Destination?) as? Wanted }
    return (_value(for: object, at: property) as Destination) as? Wanted
  }
  func replacing<Given>(with value: Given) -> Self? { (value as? Destination?).map { Self($0) } }
  func prepared(for object: some PersistentModel, at property: Int) -> Self { _prepared(for: object, at: property) }
  func didChange(of object: some PersistentModel, at property: Int) { _didChange(of: object, at: property) }
}

extension _ToManyStorage: ValueStorage {
  func resolved(for object: some PersistentModel, at property: Int) -> Self { _resolved(for: object, at: property) }
  func value<Wanted>(_ type: Wanted.Type, for object: some PersistentModel, at property: Int) -> Wanted? {
    if type is any OptionalType.Type { return (_value(for: object, at: property) as [Destination]?) as? Wanted }
    return (_value(for: object, at: property) as [Destination]) as? Wanted
  }
  func replacing<Given>(with value: Given) -> Self? { (value as? [Destination]?).map { Self($0) } }
  func prepared(for object: some PersistentModel, at property: Int) -> Self { _prepared(for: object, at: property) }
  func didChange(of object: some PersistentModel, at property: Int) { _didChange(of: object, at: property) }
}

// Access to a property by index: the steps of the accessors that `@Model` writes.
//
// Each step takes a copy of the storage or puts one back, so that no access lasts while the framework runs.
extension PersistentModel {
  /// A copy of a property's storage; `nil` for an index that the class does not have.
  func storage(at property: Int) -> (any ValueStorage)? {
    var keeper = StorageKeeper()
    _$visit(property, &keeper)
    return keeper.storage as? any ValueStorage
  }

  func put(_ storage: any ValueStorage, at property: Int) {
    var putter = StoragePutter(storage: storage)
    _$visit(property, &putter)
  }

  /// A property's value, as its getter returns it; `nil` if the value is not of the wanted type.
  func value<Value>(_ type: Value.Type, at property: Int) -> Value? {
    func load(_ storage: some ValueStorage) -> Value? {
      guard storage._isPending else { return storage.value(type, for: self, at: property) }
      let resolved = storage.resolved(for: self, at: property)
      put(resolved, at: property)
      return resolved.value(type, for: self, at: property)
    }
    return storage(at: property).flatMap { load($0) }
  }

  /// Assigns to a property, as its setter does.
  ///
  /// - Returns: `false`, without a change, if the value is not of the property's type.
  @discardableResult
  func assign<Value>(_ newValue: Value, at property: Int, notifying keyPath: KeyPath<Self, Value>?) -> Bool {
    func assign(_ storage: some ValueStorage) -> Bool {
      guard let next = storage.replacing(with: newValue) else { return false }
      func change() -> any ValueStorage {
        // Observers may have changed the storage.
        let previous = (self.storage(at: property) ?? storage).prepared(for: self, at: property)
        put(next, at: property)
        return previous
      }
      let previous: any ValueStorage =
        if let keyPath, let registrar = _$state._registrar {
          registrar.withMutation(of: self, keyPath: keyPath, change)
        } else {
          change()
        }
      previous.didChange(of: self, at: property)
      return true
    }
    return storage(at: property).map { assign($0) } ?? false
  }
}

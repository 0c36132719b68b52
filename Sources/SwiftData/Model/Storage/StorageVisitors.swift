/// Empties a property's storage, so that the next read loads it.
struct StorageEmptier: _PropertyVisitor {
  /// The thread sanitizer takes empty values, which have no place of their own, for one variable of all threads.
  private let place: UInt8 = 0

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) { storage = .init() }
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) { storage = .init() }
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) { storage = .init() }
}

/// Empties the storages of relationships to many whose members nobody has read since the last sweep.
struct StorageSweeper: _PropertyVisitor {
  /// As in ``StorageEmptier``.
  private let place: UInt8 = 0

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) { storage.sweep() }
}

/// Restores an earlier storage of a property.
struct StorageRestorer: _PropertyVisitor {
  let original: any _PropertyStorage

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {
    if let original = original as? _AttributeStorage<Value> { storage = original }
  }
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {
    if let original = original as? _ToOneStorage<Destination> { storage = original }
  }
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) { storage = .init() }
}

/// Copies the storage of a property of any type.
struct StorageKeeper: _PropertyVisitor {
  private(set) var storage: (any _PropertyStorage)?

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) { self.storage = storage }
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {
    self.storage = storage
  }
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {
    self.storage = storage
  }
}

/// Copies a storage, with its members, from another object of the same class.
struct StoragePutter: _PropertyVisitor {
  let storage: any _PropertyStorage

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {
    if let new = self.storage as? _AttributeStorage<Value> { storage = new }
  }
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {
    if let new = self.storage as? _ToOneStorage<Destination> { storage = new }
  }
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {
    if let new = self.storage as? _ToManyStorage<Destination> { storage = new }
  }
}

internal import CoreDataStore

/// What a relationship's storage holds, without loading anything.
enum LinkContent {
  /// An attribute, or a relationship that is not loaded.
  case unknown
  /// The key a to-one relationship leads to.
  case key(ObjectKey)
  /// The objects it leads to, as far as they are held.
  case objects([any PersistentModel])
}

/// Looks at a relationship without loading anything.
struct LinkReader: _PropertyVisitor {
  private(set) var content = LinkContent.unknown

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {}

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {
    switch storage.reference {
    case .pending: content = .unknown
    case .nothing: content = .objects([])
    case .key(let key): content = .key(key)
    case .object(let object): content = .objects([_ToOneStorage<Destination>.destination(object)])
    }
  }

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {
    switch storage.members {
    case .pending: content = .unknown
    case .nothing: content = .objects([])
    case .loaded(let members): content = .objects(members)
    }
  }
}

/// Lets a to-one relationship lead to another object, by key where that has a row.
struct ToOneSetter: _PropertyVisitor {
  let destination: (any PersistentModel)?
  /// The storage as it was.
  private(set) var original: (any _PropertyStorage)?

  init(_ destination: (any PersistentModel)?) { self.destination = destination }

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {}

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {
    original = storage
    storage._assign(destination.flatMap { downcast($0, to: Destination.self) })
  }
}

/// Puts an object into, or takes it out of, the loaded members of a to-many relationship.
struct MemberChange: _PropertyVisitor {
  enum Kind { case add, remove }

  let kind: Kind
  let object: any PersistentModel

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {}

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {
    var members: [Destination]
    switch storage.members {
    case .loaded(let loaded): members = loaded
    case .nothing: members = []
    case .pending: return
    }
    // The array is changed in place: nobody else holds it while the storage does not.
    storage.members = .pending
    switch kind {
    case .add: if let member = downcast(object, to: Destination.self) { members.append(member) }
    case .remove:
      if let index = members.firstIndex(where: { $0 === object }) { members.remove(at: index) }
    }
    storage.members = .loaded(members)
  }
}

/// Puts loaded members into a to-many relationship that is not loaded.
struct MemberLoader: _PropertyVisitor {
  let members: [any PersistentModel]

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {}

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {
    storage.members = .loaded(members.compactMap { downcast($0, to: Destination.self) })
  }
}

/// Forgets what a property holds, so that the next read loads it.
struct StorageEmptier: _PropertyVisitor {
  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) { storage = .init() }
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) { storage = .init() }
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) { storage = .init() }
}

/// Gives a property a storage that it had before.
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

/// Lets a to-one relationship hold its destination by key once both have rows, so that objects do not keep each other alive.
struct LinkLoosener: _PropertyVisitor {
  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {}

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {
    if case .object(let object) = storage.reference,
      let key = _ToOneStorage<Destination>.destination(object)._$state.objectKey
    {
      storage.reference = .key(ObjectKey(entity: EntityTag.entity(key.entity), key: key.key))
    }
  }
}

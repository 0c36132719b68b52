internal import StoreRequests

/// The content of a relationship's storage, read without loading.
enum LinkContent {
  /// An attribute, or a relationship that is not loaded.
  case unknown
  /// The foreign key of a to-one relationship.
  case key(ObjectKey)
  /// The destinations that the storage holds.
  case objects([any PersistentModel])
}

/// Reads a relationship's storage without loading.
struct LinkReader: _PropertyVisitor {
  private(set) var content = LinkContent.unknown

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {}

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {
    switch storage.reference {
    case .pending: content = .unknown
    case .nothing: content = .objects([])
    case .key(let key): content = .key(key)
    case .object(let held): content = .objects([_ToOneStorage<Destination>.destination(held)])
    }
  }

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {
    switch storage.members {
    case .pending: content = .unknown
    case .nothing: content = .objects([])
    case .empty, .loaded, .edited: content = .objects(storage.held ?? [])
    }
  }
}

/// Sets the destination of a to-one relationship; by key if the destination has a row.
struct ToOneSetter: _PropertyVisitor {
  let destination: (any PersistentModel)?
  /// The storage before the change.
  private(set) var original: (any _PropertyStorage)?

  init(_ destination: (any PersistentModel)?) { self.destination = destination }

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {}

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {
    original = storage
    storage._assign(destination.flatMap { downcast($0, to: Destination.self) })
  }
}

/// Adds an object to, or removes it from, the loaded members of a to-many relationship.
struct MemberChange: _PropertyVisitor {
  enum Kind { case add, remove }

  let kind: Kind
  let object: any PersistentModel

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {}

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {
    storage.change(kind, object)
  }
}

/// Stores loaded members in a to-many relationship.
struct MemberLoader: _PropertyVisitor {
  let members: [any PersistentModel]

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {}

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {
    storage = _ToManyStorage(members.compactMap { downcast($0, to: Destination.self) })
  }
}

/// Takes objects out of a relationship's loaded members.
struct MemberFilter: _PropertyVisitor {
  let excluded: Set<ObjectIdentifier>
  /// Whether to look for the objects only.
  var isTest = false
  var hasFound = false

  init(excluded: Set<ObjectIdentifier>) { self.excluded = excluded }

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {}

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {
    guard let members = storage.held, members.contains(where: { excluded.contains(ObjectIdentifier($0)) }) else {
      return
    }
    hasFound = true
    if !isTest { storage = _ToManyStorage(members.filter { !excluded.contains(ObjectIdentifier($0)) }) }
  }
}

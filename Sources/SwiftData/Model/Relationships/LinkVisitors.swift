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
  /// Whether to find the place, which costs a search.
  let keepsPlace: Bool
  /// The object's place in the list; `nil` if the list is not loaded or did not change.
  private(set) var place: Int?
  /// The member before it.
  private var neighbour: (any PersistentModel)?
  /// Members that left the list earlier. Their `deinit` may read it, so they live until the change is done.
  private var gone: [AnyObject] = []

  init(_ kind: Kind, _ object: any PersistentModel, keepsPlace: Bool) {
    self.kind = kind
    self.object = object
    self.keepsPlace = keepsPlace
  }

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {}

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {
    // A short list is searched in any case.
    guard let place = storage.change(kind, object, keepsPlace: keepsPlace, &gone), keepsPlace else { return }
    self.place = place
    neighbour = place > 0 ? storage.member(at: place - 1) : nil
  }
}

extension MemberChange {
  /// The change of the list; `nil` if there was none.
  var replacement: MemberReplacement? {
    place.map { place in
      switch kind {
      case .add: MemberReplacement(after: neighbour, at: place, [], by: [object])
      case .remove: MemberReplacement(after: neighbour, at: place, [object], by: [])
      }
    }
  }
}

/// Replaces some of the loaded members of a to-many relationship.
struct MemberReplacer: _PropertyVisitor {
  let replacement: MemberReplacement
  private(set) var isDone = false

  init(_ replacement: MemberReplacement) { self.replacement = replacement }

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {}

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {
    isDone = storage.replace(replacement)
  }
}

/// Finds an object in the loaded members of a to-many relationship.
struct MemberSearch: _PropertyVisitor {
  let object: any PersistentModel
  /// The replacement that adds the object to the list, or removes it; `nil` if the members are not loaded.
  private(set) var toggle: MemberReplacement?

  init(_ object: any PersistentModel) { self.object = object }

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {}

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {
    guard let list = storage.loaded else { return }
    if storage.contains(ObjectIdentifier(object)), let place = memberPlace(of: ObjectIdentifier(object), in: list) {
      toggle = MemberReplacement(place..<place + 1, of: list, by: place..<place, of: list)
    } else {
      toggle = MemberReplacement(after: list.last, at: list.count, [], by: [object])
    }
  }
}

/// Finds the replacement that takes an earlier one back, in the loaded members of a to-many relationship.
struct MemberReverser: _PropertyVisitor {
  let replacement: MemberReplacement
  /// Whether a former member can come back.
  let isUsable: (any PersistentModel) -> Bool
  private(set) var reversal: MemberReplacement?

  init(_ replacement: MemberReplacement, where isUsable: @escaping (any PersistentModel) -> Bool) {
    self.replacement = replacement
    self.isUsable = isUsable
  }

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {}

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {
    reversal = storage.reversal(of: replacement, where: isUsable)
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

/// Stores the members that the rows of a to-many relationship have, without a cast of each.
struct StoredMemberLoader: _PropertyVisitor {
  let members: ArraySlice<AnyObject>

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {}

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {
    let type = ObjectIdentifier(Destination.self)
    let isExact = members.allSatisfy { ObjectIdentifier(Swift.type(of: $0)) == type }
    let own = isExact ? Array(members) : members.filter { $0 is Destination }
    storage.members = own.isEmpty ? .empty : .loaded(HeldObjects(own))
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

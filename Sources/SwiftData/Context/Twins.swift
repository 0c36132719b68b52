internal import CoreDataStore

/// Objects that a save made one row of, because their unique values are the same (upsert).
///
/// The object that the context had for the row stays the row's object: fetches and relationships give it, and it takes the
/// inserted one's values. The inserted one stays usable as its twin: it has the same identifier, what is assigned to it is
/// assigned to the other, and it shows what the other has. Relationships pass on at once; attributes at the next fetch,
/// save, rollback or `processPendingChanges()`. Where both were assigned in between, the twin's value counts.
struct Twins {
  private var entries: [ObjectIdentifier: Entry] = [:]

  private struct Entry {
    weak var twin: (any PersistentModel)?
    let original: any PersistentModel
  }

  var isEmpty: Bool { entries.isEmpty }

  /// The object that stands for the row of a twin; `nil` for every other object.
  func original(of object: any PersistentModel) -> (any PersistentModel)? {
    guard !entries.isEmpty, let entry = entries[ObjectIdentifier(object)], entry.twin === object else { return nil }
    return entry.original
  }

  mutating func add(_ twin: any PersistentModel, of original: any PersistentModel) {
    entries[ObjectIdentifier(twin)] = Entry(twin: twin, original: original)
  }

  mutating func removeAll() { entries = [:] }

  /// All pairs whose twin is still held by somebody; forgets the others.
  mutating func pairs() -> [(twin: any PersistentModel, original: any PersistentModel)] {
    var pairs: [(twin: any PersistentModel, original: any PersistentModel)] = []
    for (key, entry) in entries {
      if let twin = entry.twin { pairs.append((twin, entry.original)) } else { entries[key] = nil }
    }
    return pairs
  }
}

extension ContextCore {
  /// Passes on what was assigned to twins, and shows them what their originals have.
  ///
  /// - Parameter all: whether twins are to be brought up to date that seem to be.
  func adoptTwins(all: Bool = false) {
    guard !twins.isEmpty else { return }
    let pairs = twins.pairs()
    for (twin, original) in pairs where twin._$state.status == .changed { passOn(twin, to: original) }
    for (twin, original) in pairs { mirror(original, in: twin, always: all) }
  }

  /// Assigns to an original what was assigned to its twin.
  func passOn(_ twin: any PersistentModel, to original: any PersistentModel) {
    let changed = twin._$state.changedProperties
    twin._$state.clearChanges()
    twin._$state.status = .clean
    unit.changed.remove(twin)
    fill(original)
    guard original._$state._isAttached, let binding = binding(of: original) else { return }
    for property in changed where binding.properties[property].relationship == nil {
      copy(property, from: twin, to: original)
    }
  }

  /// A relationship of a twin was assigned: its original's is.
  func passOn(
    _ twin: any PersistentModel, _ property: Int, to original: any PersistentModel, _ old: [any PersistentModel],
    _ new: [any PersistentModel]
  ) {
    let before = targets(of: original, at: property)
    guard original._$state._isAttached else { return }
    var after = new
    if binding(of: original)?.properties[property].relationship?.isToMany == true {
      // What the original has got meanwhile stays.
      let known = Set((old + new).map { ObjectIdentifier($0) })
      after += before.filter { !known.contains(ObjectIdentifier($0)) }
      var loader = MemberLoader(members: after)
      twin._$visit(property, &loader)
    }
    copy(property, from: twin, to: original)
    relationshipDidChange(of: original, at: property, from: before, to: after)
  }

  private func copy(_ property: Int, from twin: any PersistentModel, to original: any PersistentModel) {
    var taken = StorageKeeper()
    twin._$visit(property, &taken)
    guard let storage = taken.storage else { return }
    var kept = StorageKeeper()
    original._$visit(property, &kept)
    if original._$state.markChanged(property) {
      original._$state.needExtras().originals[property] = kept.storage
      willChange(original, at: property)
    }
    var putter = StoragePutter(storage: storage)
    notifying(original, at: property) { $0._$visit(property, &putter) }
  }

  private func mirror(_ original: any PersistentModel, in twin: any PersistentModel, always: Bool) {
    switch original._$state.status {
    case .orphaned:
      twin._$state.clearChanges()
      twin._$state.status = .orphaned
      return
    case .deleted:
      twin._$state.status = .deleted
      return
    case .clean where !always && twin._$state.status == .clean && twin._$state.version == original._$state.version:
      return
    case .clean, .changed, .fault, .detached, .inserted: break
    }
    fill(original)
    guard original._$state._isAttached, let binding = binding(of: original) else { return }
    notifyingAll(twin) { twin in
      for property in binding.properties.indices where !binding.properties[property].name.isEmpty {
        var kept = StorageKeeper()
        original._$visit(property, &kept)
        guard let storage = kept.storage else { continue }
        // The members of to-many relationships are asked of the original when they are needed.
        var restorer = StorageRestorer(original: storage)
        twin._$visit(property, &restorer)
      }
    }
    twin._$state.clearChanges()
    twin._$state.version = original._$state.version
    twin._$state.status = .clean
  }

  /// Lets a relationship that was assigned twins lead to their originals.
  func replaceTwins(of object: any PersistentModel, at property: Int) {
    guard !twins.isEmpty else { return }
    var reader = LinkReader()
    object._$visit(property, &reader)
    guard case .objects(let members) = reader.content, members.contains(where: { twins.original(of: $0) != nil })
    else { return }
    var seen: Set<ObjectIdentifier> = []
    let originals = members.map { twins.original(of: $0) ?? $0 }.filter { seen.insert(ObjectIdentifier($0)).inserted }
    if binding(of: object)?.properties[property].relationship?.isToMany == true {
      var loader = MemberLoader(members: originals)
      object._$visit(property, &loader)
    } else {
      var setter = ToOneSetter(originals.first)
      object._$visit(property, &setter)
    }
  }
}

/// Copies the storage of a property, whatever its type.
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

/// Gives a property the storage of another object of the same class, its members included.
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

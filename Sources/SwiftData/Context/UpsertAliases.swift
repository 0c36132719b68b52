internal import CoreDataStore

/// Objects that a save made one row of, because their unique values are the same (upsert).
///
/// The object that the context had for the row stays the row's object: fetches and relationships give it, and it takes the
/// inserted one's values. The inserted one stays usable as its alias: it has the same identifier, what is assigned to it is
/// assigned to the other, and it shows what the other has. Relationships pass on at once; attributes at the next fetch,
/// save, rollback or `processPendingChanges()`. Where both were assigned in between, the alias's value counts.
struct UpsertAliases {
  private var entries: [ObjectIdentifier: Entry] = [:]

  private struct Entry {
    weak var alias: (any PersistentModel)?
    let original: any PersistentModel
  }

  var isEmpty: Bool { entries.isEmpty }

  /// The object that stands for the row of a alias; `nil` for every other object.
  func original(of object: any PersistentModel) -> (any PersistentModel)? {
    guard !entries.isEmpty, let entry = entries[ObjectIdentifier(object)], entry.alias === object else { return nil }
    return entry.original
  }

  mutating func add(_ alias: any PersistentModel, of original: any PersistentModel) {
    entries[ObjectIdentifier(alias)] = Entry(alias: alias, original: original)
  }

  mutating func removeAll() { entries = [:] }

  /// All pairs whose alias is still held by somebody; forgets the others.
  mutating func pairs() -> [(alias: any PersistentModel, original: any PersistentModel)] {
    var pairs: [(alias: any PersistentModel, original: any PersistentModel)] = []
    for (key, entry) in entries {
      if let alias = entry.alias { pairs.append((alias, entry.original)) } else { entries[key] = nil }
    }
    return pairs
  }
}

extension ContextCore {
  /// Passes on what was assigned to aliases, and shows them what their originals have.
  ///
  /// - Parameter all: whether aliases are to be brought up to date that seem to be.
  func synchronizeAliases(all: Bool = false) {
    guard !aliases.isEmpty else { return }
    let pairs = aliases.pairs()
    for (alias, original) in pairs where alias._$state.status == .changed { passOn(alias, to: original) }
    for (alias, original) in pairs { mirror(original, in: alias, always: all) }
  }

  /// Assigns to an original what was assigned to its alias.
  func passOn(_ alias: any PersistentModel, to original: any PersistentModel) {
    let changed = alias._$state.changedProperties
    alias._$state.clearChanges()
    alias._$state.status = .clean
    unit.changed.remove(alias)
    fill(original)
    guard original._$state._isAttached, let binding = binding(of: original) else { return }
    for property in changed where binding.properties[property].relationship == nil {
      copy(property, from: alias, to: original)
    }
  }

  /// A relationship of a alias was assigned: its original's is.
  func passOn(
    _ alias: any PersistentModel, _ property: Int, to original: any PersistentModel, _ old: [any PersistentModel],
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
      alias._$visit(property, &loader)
    }
    copy(property, from: alias, to: original)
    relationshipDidChange(of: original, at: property, from: before, to: after)
  }

  private func copy(_ property: Int, from alias: any PersistentModel, to original: any PersistentModel) {
    var taken = StorageKeeper()
    alias._$visit(property, &taken)
    guard let storage = taken.storage else { return }
    changeStream.send(.willChange(original, property: property))
    var kept = StorageKeeper()
    original._$visit(property, &kept)
    if original._$state.markChanged(property) {
      original._$state.needExtras().originals[property] = kept.storage
      willChange(original, at: property)
    }
    var putter = StoragePutter(storage: storage)
    notifying(original, at: property) { $0._$visit(property, &putter) }
  }

  private func mirror(_ original: any PersistentModel, in alias: any PersistentModel, always: Bool) {
    switch original._$state.status {
    case .orphaned:
      alias._$state.clearChanges()
      alias._$state.status = .orphaned
      return
    case .deleted:
      alias._$state.status = .deleted
      return
    case .clean where !always && alias._$state.status == .clean && alias._$state.version == original._$state.version:
      return
    case .clean, .changed, .fault, .detached, .inserted: break
    }
    fill(original)
    guard original._$state._isAttached, let binding = binding(of: original) else { return }
    notifyingAll(alias) { alias in
      for property in binding.properties.indices where !binding.properties[property].name.isEmpty {
        var kept = StorageKeeper()
        original._$visit(property, &kept)
        guard let storage = kept.storage else { continue }
        // The members of to-many relationships are asked of the original when they are needed.
        var restorer = StorageRestorer(original: storage)
        alias._$visit(property, &restorer)
      }
    }
    alias._$state.clearChanges()
    alias._$state.version = original._$state.version
    alias._$state.status = .clean
  }

  /// Lets a relationship that was assigned aliases lead to their originals.
  func replaceAliases(of object: any PersistentModel, at property: Int) {
    guard !aliases.isEmpty else { return }
    var reader = LinkReader()
    object._$visit(property, &reader)
    guard case .objects(let members) = reader.content, members.contains(where: { aliases.original(of: $0) != nil })
    else { return }
    var seen: Set<ObjectIdentifier> = []
    let originals = members.map { aliases.original(of: $0) ?? $0 }.filter { seen.insert(ObjectIdentifier($0)).inserted }
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

internal import StoreRequests

/// Pairs of objects that a save merged into one row, because their unique values are equal (upsert).
///
/// The context's earlier object of the row stays the row's object, the original: fetches and relationships return it,
/// and it takes the values of the inserted object. The inserted object becomes its alias. It has the same identifier,
/// passes assignments on to the original, and shows the original's values. Relationships pass on at once, attributes at
/// the next fetch, save, rollback or `processPendingChanges()`. If both were assigned in between, the alias's value is
/// kept.
struct UpsertAliases {
  private var entries: [ObjectIdentifier: Entry] = [:]
  /// The aliases of each original.
  private var aliasesByOriginal: [ObjectIdentifier: Set<ObjectIdentifier>] = [:]
  /// Originals that were read again, saved or deleted since their aliases were brought up to date.
  private var touched: Set<ObjectIdentifier> = []
  /// Once there are this many pairs, those whose alias is released are removed.
  private var sweepThreshold = 16

  private struct Entry {
    weak var alias: (any PersistentModel)?
    let original: any PersistentModel
  }

  var isEmpty: Bool { entries.isEmpty }

  /// The original of an alias; `nil` for every other object.
  func original(of object: any PersistentModel) -> (any PersistentModel)? {
    guard !entries.isEmpty, let entry = entries[ObjectIdentifier(object)], entry.alias === object else { return nil }
    return entry.original
  }

  mutating func add(_ alias: any PersistentModel, of original: any PersistentModel) {
    if entries.count >= sweepThreshold { removeReleased() }
    entries[ObjectIdentifier(alias)] = Entry(alias: alias, original: original)
    aliasesByOriginal[ObjectIdentifier(original), default: []].insert(ObjectIdentifier(alias))
    touched.insert(ObjectIdentifier(original))
  }

  mutating func removeAll() { self = UpsertAliases() }

  var count: Int { entries.count }

  /// Notes that an object's values may differ from those of its aliases.
  mutating func touch(_ object: any PersistentModel) {
    guard !entries.isEmpty, aliasesByOriginal[ObjectIdentifier(object)] != nil else { return }
    touched.insert(ObjectIdentifier(object))
  }

  /// The pairs with a touched or changed original, or with a changed alias. Cost: the number of these and of the changed objects.
  mutating func pairs(
    changed: some Sequence<any PersistentModel>
  ) -> [(alias: any PersistentModel, original: any PersistentModel)] {
    var wanted: Set<ObjectIdentifier> = []
    for object in changed {
      touch(original(of: object) ?? object)
    }
    for original in touched { wanted.formUnion(aliasesByOriginal[original, default: []]) }
    touched = []
    return wanted.compactMap { key in
      guard let entry = entries[key] else { return nil }
      if let alias = entry.alias { return (alias, entry.original) }
      remove(key, entry.original)
      return nil
    }
  }

  private mutating func removeReleased() {
    for (key, entry) in entries where entry.alias == nil { remove(key, entry.original) }
    sweepThreshold = max(16, 2 * entries.count)
  }

  private mutating func remove(_ key: ObjectIdentifier, _ original: any PersistentModel) {
    entries[key] = nil
    aliasesByOriginal[ObjectIdentifier(original)]?.remove(key)
    if aliasesByOriginal[ObjectIdentifier(original)]?.isEmpty == true {
      aliasesByOriginal[ObjectIdentifier(original)] = nil
    }
  }

  /// All pairs whose alias is still alive; removes the other pairs.
  mutating func pairs() -> [(alias: any PersistentModel, original: any PersistentModel)] {
    var pairs: [(alias: any PersistentModel, original: any PersistentModel)] = []
    for (key, entry) in entries {
      if let alias = entry.alias { pairs.append((alias, entry.original)) } else { remove(key, entry.original) }
    }
    touched = []
    return pairs
  }
}

extension ContextCore {
  /// Passes values assigned to aliases on to their originals, and copies the originals' values to the aliases.
  ///
  /// It visits only the pairs in which an object was changed, read again, saved or deleted.
  /// - Parameter all: whether to update aliases that seem to be up to date, too.
  func synchronizeAliases(all: Bool = false) {
    guard !aliases.isEmpty else { return }
    let changes = unit.changed.count + unit.deleted.count
    let pairs =
      all || aliases.count <= changes
      ? aliases.pairs() : aliases.pairs(changed: unit.changed.array + unit.deleted.array)
    for (alias, original) in pairs where alias._$state.status == .changed { passOn(alias, to: original) }
    for (alias, original) in pairs { mirror(original, in: alias, always: all) }
  }

  /// Assigns an alias's changed values to its original.
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

  /// Passes an assignment to an alias's relationship on to its original.
  func passOn(
    _ alias: any PersistentModel, _ property: Int, to original: any PersistentModel, _ old: [any PersistentModel],
    _ new: [any PersistentModel]
  ) {
    let before = targets(of: original, at: property)
    guard original._$state._isAttached else { return }
    var after = new
    if binding(of: original)?.properties[property].relationship?.isToMany == true {
      // Keeps the members that the original received meanwhile.
      let known = Set((old + new).map { ObjectIdentifier($0) })
      after += before.filter { !known.contains(ObjectIdentifier($0)) }
      var loader = MemberLoader(members: after)
      alias._$visit(property, &loader)
    }
    copy(property, from: alias, to: original)
    noteReplacement(of: original, at: property, from: before)
    relationshipDidChange(of: original, at: property, from: before, to: after)
  }

  private func copy(_ property: Int, from alias: any PersistentModel, to original: any PersistentModel) {
    var taken = StorageKeeper()
    alias._$visit(property, &taken)
    guard let storage = taken.storage else { return }
    put(storage, in: original, at: property)
  }

  /// Changes a property to a storage of another object, or of the same object at another time.
  func put(_ storage: any _PropertyStorage, in object: any PersistentModel, at property: Int) {
    changeStream.send(.willChange(object, property: property))
    object._$state.extras?.forgetUpdates(of: property)
    var kept = StorageKeeper()
    object._$visit(property, &kept)
    if object._$state.markChanged(property) {
      object._$state.needExtras().originals[property] = kept.storage
      willChange(object, at: property)
    } else if object._$state.takeIndexed(property) {
      unit.lookup.noteChange(of: object, at: property, isFirst: false)
    }
    var putter = StoragePutter(storage: storage)
    notifying(object, at: property) { $0._$visit(property, &putter) }
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
        // An alias reads the members of a to-many relationship from its original when they are needed.
        var restorer = StorageRestorer(original: storage)
        alias._$visit(property, &restorer)
      }
    }
    alias._$state.clearChanges()
    alias._$state.version = original._$state.version
    alias._$state.status = .clean
  }

  /// Replaces aliases in an assigned relationship by their originals.
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

/// The members added to and removed from one object's to-many relationship since the last save.
///
/// They are kept whether the members are loaded or not. They correct members that are loaded later, and a save writes
/// them for a relationship with join-table rows. No object is in both lists. A member that was removed and added back counts
/// as added, because others may remove it from the store meanwhile.
struct LinkChanges {
  private(set) var added = ObjectList()
  private(set) var removed = ObjectList()
  /// The order in which the relationship showed its members before they had to be loaded again.
  var order: [any PersistentModel] = []

  /// Records an added member; returns whether this changes anything.
  mutating func add(_ object: any PersistentModel) -> Bool {
    removed.remove(object)
    return added.append(object)
  }

  /// Records a removed member; returns whether this changes anything.
  mutating func remove(_ object: any PersistentModel) -> Bool {
    let wasAdded = added.remove(object)
    // No store has a link to an object without a row.
    return wasAdded && object._$state.key == 0 || removed.append(object)
  }

  /// Drops what is recorded about an object.
  mutating func forget(_ object: any PersistentModel) {
    added.remove(object)
    removed.remove(object)
  }

  /// What is recorded about an object.
  enum Mark { case added, removed }

  /// What is recorded about an object; `nil` if it is a member in the store and here, or in neither.
  subscript(object: any PersistentModel) -> Mark? {
    get { added.contains(object) ? .added : removed.contains(object) ? .removed : nil }
    set {
      forget(object)
      switch newValue {
      case .added: added.append(object)
      case .removed: removed.append(object)
      case nil: break
      }
    }
  }

  /// Whether adding or removing an object changes anything.
  func isChanged(by kind: MemberChange.Kind, _ object: any PersistentModel) -> Bool {
    switch kind {
    case .add: !added.contains(object)
    case .remove: !removed.contains(object)
    }
  }

  /// Drops added objects whose rows are gone.
  mutating func forgetLost() {
    for object in added.array where !object._$state._isAttached { added.remove(object) }
  }

  /// Drops added members that do not meet a condition.
  mutating func keepAdded(where condition: (any PersistentModel) -> Bool) {
    for object in added.array where !condition(object) { added.remove(object) }
  }

  /// Applies the changes to the members in the store; new members come last.
  func applied(to stored: [any PersistentModel]) -> [any PersistentModel] {
    if added.isEmpty && removed.isEmpty && order.isEmpty { return stored }
    let members = stored.filter { !removed.contains($0) && !added.contains($0) } + added
    if order.isEmpty { return members }
    let present = Set(members.map { ObjectIdentifier($0) })
    let known = Set(order.map { ObjectIdentifier($0) })
    return order.filter { present.contains(ObjectIdentifier($0)) }
      + members.filter { !known.contains(ObjectIdentifier($0)) }
  }
}

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

  /// Whether other changes add and remove the same objects.
  func hasEqualMembers(_ other: Self) -> Bool {
    added.count == other.added.count && removed.count == other.removed.count
      && added.allSatisfy(other.added.contains) && removed.allSatisfy(other.removed.contains)
  }

  /// Whether adding or removing an object changes anything.
  func isChanged(by kind: MemberChange.Kind, _ object: any PersistentModel) -> Bool {
    switch kind {
    case .add: !added.contains(object)
    case .remove: !removed.contains(object)
    }
  }

  /// Whether an object has ceased to be a member since an earlier state of the changes.
  func isRemoved(_ object: any PersistentModel, since earlier: LinkChanges) -> Bool {
    removed.contains(object) && !earlier.removed.contains(object)
      || earlier.added.contains(object) && !added.contains(object)
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

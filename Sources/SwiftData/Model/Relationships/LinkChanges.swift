/// The members added to and removed from one object's to-many relationship since the last save.
///
/// They are kept whether the members are loaded or not. They correct members that are loaded later, and a save writes
/// them for a relationship with join-table rows. No object is in both lists.
struct LinkChanges {
  private(set) var added = ObjectList()
  private(set) var removed = ObjectList()
  /// The order in which the relationship showed its members before they had to be loaded again.
  var order: [any PersistentModel] = []

  /// Records an added member; returns whether this changes anything.
  mutating func add(_ object: any PersistentModel) -> Bool {
    if removed.remove(object) { return true }
    return added.append(object)
  }

  /// Records a removed member; returns whether this changes anything.
  mutating func remove(_ object: any PersistentModel) -> Bool {
    if added.remove(object) { return true }
    return removed.append(object)
  }

  /// Whether adding or removing an object changes anything.
  func isChanged(by kind: MemberChange.Kind, _ object: any PersistentModel) -> Bool {
    switch kind {
    case .add: removed.contains(object) || !added.contains(object)
    case .remove: added.contains(object) || !removed.contains(object)
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

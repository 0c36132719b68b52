/// What was added to and removed from one object's to-many relationship since the last save.
///
/// Kept whether the members are loaded or not: it corrects members that are loaded later, and it is what a save writes of a
/// relationship that has rows of its own. An object is never in both lists.
struct LinkChanges {
  private(set) var added = ObjectList()
  private(set) var removed = ObjectList()

  /// Notes that an object became a member; says whether that changes anything.
  mutating func add(_ object: any PersistentModel) -> Bool {
    if removed.remove(object) { return true }
    return added.append(object)
  }

  /// Notes that an object is no longer a member; says whether that changes anything.
  mutating func remove(_ object: any PersistentModel) -> Bool {
    if added.remove(object) { return true }
    return removed.append(object)
  }

  /// Members as the store has them, corrected.
  func applied(to stored: [any PersistentModel]) -> [any PersistentModel] {
    if added.isEmpty && removed.isEmpty { return stored }
    return stored.filter { !removed.contains($0) && !added.contains($0) } + added
  }
}

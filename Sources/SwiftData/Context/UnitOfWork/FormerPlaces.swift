/// The places of deleted objects in the ordered lists from which delete rules have taken them since the last save.
struct FormerPlaces {
  private var lists: [List: [Entry]] = [:]

  private struct List: Hashable {
    let owner: ObjectIdentifier
    let property: Int
  }

  /// A place in the list that the earlier entries have left.
  private struct Entry {
    let object: any PersistentModel
    /// Kept, so that no other object gets its identifier.
    let owner: any PersistentModel
    var start: Int
    var neighbour: (any PersistentModel)?
  }

  /// Notes that an object leaves a list.
  mutating func add(_ removal: MemberReplacement, of owner: any PersistentModel, at property: Int) {
    guard let object = removal.former.first else { return }
    let list = List(owner: ObjectIdentifier(owner), property: property)
    lists[list, default: []].append(
      Entry(object: object, owner: owner, start: removal.start, neighbour: removal.neighbour))
  }

  /// How an object that comes back left a list; forgets it. The places of the objects that left later count it again.
  mutating func take(
    _ object: any PersistentModel, of owner: any PersistentModel, at property: Int
  ) -> MemberReplacement? {
    guard !lists.isEmpty else { return nil }
    let list = List(owner: ObjectIdentifier(owner), property: property)
    guard var entries = lists[list], let place = entries.lastIndex(where: { $0.object === object }) else { return nil }
    let entry = entries.remove(at: place)
    for later in place..<entries.count where entries[later].start >= entry.start {
      if entries[later].start == entry.start { entries[later].neighbour = object }
      entries[later].start += 1
    }
    lists[list] = entries.isEmpty ? nil : entries
    return MemberReplacement(after: entry.neighbour, at: entry.start, [object], by: [])
  }
}

/// The links that a context added to an object when it updated inverses; the program assigned their other side.
///
/// An object that leaves the context unsaved gives them back. Otherwise objects that lead to each other would keep each
/// other alive.
struct GivenLinks {
  /// To-one destinations; an object has few.
  private(set) var destinations: [(property: Int, object: any PersistentModel)] = []
  /// Members of to-many relationships, by property index.
  private(set) var members: [Int: ObjectList] = [:]

  mutating func give(_ object: any PersistentModel, at property: Int) {
    destinations.removeAll { $0.property == property }
    destinations.append((property, object))
  }

  /// What the context gave a to-one relationship.
  func destination(at property: Int) -> (any PersistentModel)? {
    destinations.first { $0.property == property }?.object
  }

  mutating func forgetDestination(at property: Int) { destinations.removeAll { $0.property == property } }

  mutating func add(_ member: any PersistentModel, at property: Int) {
    members[property, default: ObjectList()].append(member)
  }

  var isEmpty: Bool { destinations.isEmpty && members.isEmpty }

  mutating func removeAll() { if !isEmpty { self = GivenLinks() } }

  mutating func remove(_ member: any PersistentModel, at property: Int) { members[property]?.remove(member) }
}

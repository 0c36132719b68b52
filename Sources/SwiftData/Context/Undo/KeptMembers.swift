/// The members that objects have kept in their lists while they were deleted.
///
/// Cost: a list is read once, when it is asked for first.
struct KeptMembers {
  private let core: ContextCore
  private let owners: Set<ObjectIdentifier>
  private var members: [Place: Set<ObjectIdentifier>] = [:]

  private struct Place: Hashable {
    let owner: ObjectIdentifier
    let property: Int
  }

  init(_ core: ContextCore, of owners: [any PersistentModel]) {
    self.core = core
    self.owners = Set(owners.map { ObjectIdentifier($0) })
  }

  /// Whether an object that came back has a member in the relationship that is the inverse of the member's one.
  mutating func contains(
    _ member: any PersistentModel, of owner: any PersistentModel, inverseTo property: Int
  ) -> Bool {
    guard owners.contains(ObjectIdentifier(owner)),
      let relationship = core.binding(of: member)?.properties[property].relationship, relationship.isInverseToMany,
      let inverse = relationship.inverse
    else { return false }
    let place = Place(owner: ObjectIdentifier(owner), property: inverse)
    let known = members[place] ?? Set(core.linked(owner, inverse).map { ObjectIdentifier($0) })
    members[place] = known
    return known.contains(ObjectIdentifier(member))
  }
}

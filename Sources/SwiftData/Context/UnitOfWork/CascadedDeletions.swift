/// The objects that cascades have deleted since the last save, with the deleted objects whose delete rules did it.
///
/// An object that the program has deleted itself is not among them. So one that comes back brings back what went with it alone.
struct CascadedDeletions {
  private var cascades: [ObjectIdentifier: Cascade] = [:]
  /// The deleted owners of each member.
  private var owners: [ObjectIdentifier: Set<ObjectIdentifier>] = [:]

  private struct Cascade {
    /// Kept, so that no other object gets its identifier: an unsaved object leaves the context when it is deleted.
    let owner: any PersistentModel
    var members: [any PersistentModel] = []
  }

  var isEmpty: Bool { cascades.isEmpty }

  func contains(_ member: any PersistentModel) -> Bool { owners[ObjectIdentifier(member)] != nil }

  mutating func add(_ member: any PersistentModel, of owner: any PersistentModel) {
    guard owners[ObjectIdentifier(member), default: []].insert(ObjectIdentifier(owner)).inserted else { return }
    cascades[ObjectIdentifier(owner), default: Cascade(owner: owner)].members.append(member)
  }

  /// Forgets an object that the program deletes itself, or that came back.
  mutating func forget(_ member: any PersistentModel) {
    if !owners.isEmpty { owners[ObjectIdentifier(member)] = nil }
  }

  /// The objects that no other deletion than that of one object has deleted. Forgets the cascade.
  mutating func takeMembers(of owner: any PersistentModel) -> [any PersistentModel] {
    guard let cascade = cascades.removeValue(forKey: ObjectIdentifier(owner)) else { return [] }
    return cascade.members.filter { member in
      let identifier = ObjectIdentifier(member)
      guard owners[identifier]?.remove(ObjectIdentifier(owner)) != nil, owners[identifier]?.isEmpty == true else {
        return false
      }
      owners[identifier] = nil
      return true
    }
  }
}

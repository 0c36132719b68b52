internal import StoreRequests

/// Finds the relationships in which a save moved a member to another owner; the previous owner is not known.
struct ExclusiveOwnershipTracker {
  private(set) var changed: Set<ExclusiveOwnership> = []
  private var given: [ExclusiveOwnership: Set<Int>] = [:]

  mutating func note(_ change: ChangeSet.RelationshipChange, at property: Int, of binding: EntityBinding) {
    guard binding.properties[property].relationship?.inverse == nil else { return }
    let ownership = ExclusiveOwnership(property, of: binding)
    for member in change.added {
      switch member {
      case .existing: changed.insert(ownership)
      case .inserted(let index):
        // Two owners received the same new object.
        if !given[ownership, default: []].insert(index).inserted { changed.insert(ownership) }
      }
    }
  }
}

extension ContextCore {
  /// Makes owners load their members again, since other owners may have taken some.
  func reloadMembers(_ ownerships: Set<ExclusiveOwnership>) {
    guard !ownerships.isEmpty else { return }
    identityMap.forEachOwner { owner in
      // A fault may have members: of a prefetch, or from before it became a fault.
      guard [.clean, .fault, .changed].contains(owner._$state.status), let binding = binding(of: owner) else { return }
      for property in binding.toMany where ownerships.contains(.init(property, of: binding)) {
        emptyMembers(of: owner, at: property)
      }
    }
  }
}

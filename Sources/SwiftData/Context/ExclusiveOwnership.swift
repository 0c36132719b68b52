internal import CoreDataStore

/// A to-many relationship without an inverse: a key in the member's row leads to its owner, so that it has one at most (CD-3.3).
struct ExclusiveOwnership: Sendable, Hashable {
  /// The place of the owners' table among all tables of the container.
  let table: Int
  /// The class that declares the relationship; sibling subclasses have other properties at the same index.
  let declaringClass: ObjectIdentifier
  /// The relationship's index in the owners' class.
  let property: Int

  init(_ property: Int, of binding: EntityBinding) {
    table = binding.table
    declaringClass = binding.properties[property].declaringClass
    self.property = property
  }
}

/// Finds the relationships of a save by which a member came to another owner, who is not told who had it before.
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
        // Two owners were given the same new object.
        if !given[ownership, default: []].insert(index).inserted { changed.insert(ownership) }
      }
    }
  }
}

extension ContextCore {
  /// Lets owners load their members again, of which some may belong to others now.
  func reloadMembers(_ ownerships: Set<ExclusiveOwnership>) {
    guard !ownerships.isEmpty else { return }
    var emptier = StorageEmptier()
    identityMap.forEachOwner { owner in
      // A fault may have members: those of a prefetch, or from before it became one.
      guard [.clean, .fault].contains(owner._$state.status), let binding = binding(of: owner) else { return }
      for property in binding.toMany where ownerships.contains(.init(property, of: binding)) {
        notifying(owner, at: property) { $0._$visit(property, &emptier) }
      }
    }
  }
}

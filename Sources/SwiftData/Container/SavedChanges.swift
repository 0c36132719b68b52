/// The objects of a save, for notifications and for other contexts.
struct SavedChanges: Sendable {
  var inserted: [PersistentIdentifier] = []
  var updated: [PersistentIdentifier] = []
  var deleted: [PersistentIdentifier] = []
  /// Objects that were not saved, but of whose rows the store itself changed a value.
  var refreshed: [PersistentIdentifier] = []
  /// The inserted objects whose rows came back after their deletion.
  var returned: [PersistentIdentifier] = []
  /// Rows that several objects share, because the objects have equal unique values.
  var merged: [PersistentIdentifier] = []
  /// Changed objects that were not saved, because their rows were deleted elsewhere.
  var dropped: [PersistentIdentifier] = []
  /// Relationships in which a member moved to another owner.
  var exclusiveOwners: Set<ExclusiveOwnership> = []
  /// The numbers of the save's history transactions, by store index; `nil` for a store that recorded none.
  var transactions: [Int: Int64?] = [:]
  /// The positions that custom stores returned, by store index.
  var tokens: [Int: any HistoryToken] = [:]
  /// The indices of the custom stores that removed all their objects at once.
  var erasedStores: Set<Int> = []
  /// The author of the save.
  var author: String?

  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && dropped.isEmpty
  }
}

/// A to-many relationship without an inverse: a foreign key in the member's row, so a member has at most one owner (CD-3.3).
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

  /// The same relationship in another container's store.
  func counterparts(in store: OpenStore) -> [ExclusiveOwnership] {
    store.ownBindings.compactMap { binding in
      guard binding.properties.indices.contains(property),
        binding.properties[property].declaringClass == declaringClass
      else { return nil }
      return ExclusiveOwnership(property, of: binding)
    }
  }
}

internal import ManagedModel
internal import StoreRequests

// Relationships to many whose loaded members no longer agree with the store.
extension ContextCore {
  /// Drops the loaded members of a relationship, which are loaded again when needed. A changed relationship keeps their order.
  func emptyMembers(of owner: any PersistentModel, at property: Int) {
    // The next save refuses a member of another context, as long as the relationship has it.
    guard !unit.strangers.contains(where: { $0.owner === owner && $0.property == property }) else { return }
    keepOrder(of: owner, at: property)
    var emptier = StorageEmptier()
    notifying(owner, at: property) { $0._$visit(property, &emptier) }
  }

  /// Keeps the order of a changed relationship's loaded members for the next time that they are loaded.
  func keepOrder(of owner: any PersistentModel, at property: Int) {
    guard owner._$state.status == .inserted || owner._$state.isChanged(property) else { return }
    // A deleted object keeps the unsaved members that its delete rules have taken out of the context.
    if owner._$state.status != .deleted { owner._$state.extras?.links[property]?.forgetLost() }
    let members = linked(owner, property)
    if !members.isEmpty { owner._$state.needExtras().links[property, default: LinkChanges()].order = members }
  }

  /// Loads the members of ordered relationships whose order is unsaved.
  func loadUnsavedOrders() {
    for object in unit.changed.array + unit.inserted.array {
      for (property, links) in object._$state.extras?.links ?? [:] where !links.order.isEmpty {
        let relationship = binding(of: object)?.properties[property].relationship
        if relationship?.description.isOrdered == true { _ = targets(of: object, at: property) }
      }
    }
  }
}

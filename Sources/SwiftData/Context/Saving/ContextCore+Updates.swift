extension ContextCore {
  /// Changes an object by an update, and notes the update for ``repeatUpdates(of:)``.
  func change(_ object: any PersistentModel, by update: ObjectUpdate?, _ set: () -> Void) {
    let former = object._$state.extras?.updates ?? []
    // A value that the program has assigned does not come from the row.
    let assigned = object._$state.changedProperties.filter { property in
      !former.contains { $0.properties.contains(property) }
    }
    set()
    guard let update = update?.without(assigned), !update.properties.isEmpty, object._$state.status == .changed else {
      return
    }
    object._$state.needExtras().updates = former + [update]
  }

  /// Makes the updates of objects in conflict again, on the values of their rows. Cost: a query for each class.
  ///
  /// An object that a predicate does not select any more loses the changes of that update.
  /// - Throws: `modelValidationFailure` if a value cannot be computed; errors of reading the rows.
  func repeatUpdates(of objects: [any PersistentModel]) throws {
    try withStoredRows(of: objects.filter { $0._$state.extras?.updates.isEmpty == false }) { object, row in
      guard let updates = object._$state.extras?.updates else { return }
      let properties = updates.reduce(into: Set<Int>()) { $0.formUnion($1.properties) }
      for property in properties.sorted() {
        var keeper = StorageKeeper()
        row._$visit(property, &keeper)
        if let stored = keeper.storage { put(stored, in: object, at: property) }
      }
      var rest = properties
      for update in updates where try update.make(object, update.properties) { rest.subtract(update.properties) }
      for property in rest.sorted() { becomeUnchanged(object, at: property) }
      // The next attempt of the save may meet a newer row.
      if object._$state.status == .changed { object._$state.extras?.updates = updates }
    }
  }
}

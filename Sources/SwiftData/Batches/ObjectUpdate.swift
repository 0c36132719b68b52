internal import Foundation

/// An update by a predicate, as it was made on one object in memory.
///
/// Somebody else may save the object's row before this context does. The save then makes the update again on the row's values, as SQL would,
/// so that two additions to one balance both count. See ``SaveConflictPolicy/mergeByProperty``.
struct ObjectUpdate {
  /// The attributes that have a value of the update, by index.
  private(set) var properties: Set<Int>
  /// Makes the update on an object, for some attributes only; returns `false` if the predicate does not select the object.
  let make: (_ object: any PersistentModel, _ properties: Set<Int>) throws -> Bool

  /// - Returns: `nil` if the new values depend neither on the objects nor on what the predicate selects.
  init?<Model: PersistentModel>(
    _ update: ModelUpdate<Model>, _ predicate: Predicate<Model>?, property: (AnyKeyPath) -> Int?
  ) {
    guard predicate != nil || update.assignments.contains(where: { $0.constant == nil }) else { return nil }
    let assignments = update.assignments.compactMap { assignment in
      property(assignment.property).map { (property: $0, prepare: assignment.prepare) }
    }
    let selection = predicate.map { InMemoryEvaluation([$0.expression], of: $0.variable) }
    properties = Set(assignments.map(\.property))
    make = { object, properties in
      guard let object = downcast(object, to: Model.self), try selection?.matches(object) ?? true else { return false }
      let entityName = ModelClass.of(type(of: object)).entityName
      let setters = try assignments.filter { properties.contains($0.property) }.map {
        try $0.prepare(object, entityName)
      }
      for set in setters { set() }
      return true
    }
  }

  /// Leaves out an attribute that has another value now.
  mutating func forget(_ property: Int) { properties.remove(property) }

  /// Leaves out attributes.
  func without(_ others: [Int]) -> ObjectUpdate {
    var rest = self
    rest.properties.subtract(others)
    return rest
  }
}

extension ModelExtras {
  /// Forgets what updates by predicates have given to an attribute, because it is assigned a value of its own.
  func forgetUpdates(of property: Int) {
    guard !updates.isEmpty else { return }
    for place in updates.indices { updates[place].forget(property) }
    updates.removeAll(where: \.properties.isEmpty)
  }
}

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

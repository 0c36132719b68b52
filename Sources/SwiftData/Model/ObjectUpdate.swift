/// An update by a predicate, as it was made on one object in memory.
///
/// Somebody else may save the object's row before this context does. The save then makes the update again, on the row's values. So two
/// additions to one balance both count, as they do in SQL. See ``SaveConflictPolicy/mergeByProperty``.
struct ObjectUpdate {
  /// The attributes that have a value of the update, by index.
  private(set) var properties: Set<Int>
  /// Makes the update on an object, for some attributes only; returns `false` if the predicate does not select the object.
  let make: (_ object: any PersistentModel, _ properties: Set<Int>) throws -> Bool

  init(of properties: Set<Int>, make: @escaping (any PersistentModel, Set<Int>) throws -> Bool) {
    self.properties = properties
    self.make = make
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

/// Something done to the storage of one property, whatever its kind: the general way to reach an object's values.
///
/// Rollback, inverse upkeep, graph walks and the discovery of a schema are visitors.
public protocol _PropertyVisitor {
  /// Visits an attribute.
  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>)
  /// Visits a to-one relationship.
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>)
  /// Visits a to-many relationship.
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>)
}

/// What all storages have in common.
public protocol _PropertyStorage {
  /// Whether there is no value yet: it was never assigned, or not loaded.
  var _isPending: Bool { get }
  /// A storage without value.
  init()
}

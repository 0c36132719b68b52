/// An operation on the storage of one property of any kind.
///
/// Visitors implement rollback, inverse upkeep, graph walks and the discovery of a schema.
public protocol _PropertyVisitor {
  /// Visits an attribute.
  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>)
  /// Visits a to-one relationship.
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>)
  /// Visits a to-many relationship.
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>)
}

/// The common interface of all storages.
public protocol _PropertyStorage {
  /// Whether the storage is empty: its value was never assigned or loaded.
  var _isPending: Bool { get }
  /// An empty storage.
  init()
}

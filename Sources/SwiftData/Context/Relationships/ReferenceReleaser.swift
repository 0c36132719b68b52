internal import StoreRequests

/// Replaces a to-one destination by its key once both objects have rows, so that they do not keep each other alive.
struct ReferenceReleaser: _PropertyVisitor {
  /// See ``StorageEmptier``.
  private let place: UInt8 = 0

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {}

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {
    if case .object(let held) = storage.reference,
      let key = _ToOneStorage<Destination>.destination(held)._$state.objectKey
    {
      storage.reference = .key(ObjectKey(entity: EntityTag.entity(key.entity), key: key.key))
    }
  }
}

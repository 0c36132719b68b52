internal import StoreRequests

/// An entity's number in its store and the store's index in its container, packed into 32 bits.
///
/// In the container's first store, usually the only store, a tag equals the store's `Z_ENT` (CD-1.2).
enum EntityTag {
  static let storeBits: Int32 = 16

  static func make(store: Int, entity: Int32) -> Int32 { Int32(store) << storeBits | entity & 0xFFFF }
  static func store(_ tag: Int32) -> Int { Int(tag >> storeBits) }
  static func entity(_ tag: Int32) -> Int32 { tag & 0xFFFF }
  /// The tag of an entity in the same store as another entity.
  static func make(entity: Int32, besides other: Int32) -> Int32 { other & ~0xFFFF | entity & 0xFFFF }
}

extension _ModelState {
  /// The object's row, with the entity number of its own store.
  var rowKey: ObjectKey? { key == 0 ? nil : ObjectKey(entity: EntityTag.entity(entity), key: key) }
}

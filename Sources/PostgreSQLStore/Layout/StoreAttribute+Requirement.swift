import ManagedModel
import StoreRequests

extension StoreAttribute {
  /// Whether each object has a value of the attribute's only leaf.
  ///
  /// The model has the leaf of an enumeration as optional even if the attribute is not. Structures with several leaves require none: their
  /// coding may leave out any of them.
  var requiresValue: Bool {
    guard leaves.count == 1, !description.isOptional, description.derivation == nil else { return false }
    return description.isEnumeration || !leaves[0].attribute.isOptional
  }
}

import ManagedModel
import StoreRequests

extension StoreAttribute {
  /// Whether each object has a value of the attribute's only leaf.
  ///
  /// In the model, the leaf of an enumeration is optional even if the attribute is not. A structure with several leaves requires no
  /// value: its coding may leave out any leaf.
  var requiresValue: Bool {
    guard leaves.count == 1, !description.isOptional, description.derivation == nil else { return false }
    return description.isEnumeration || !leaves[0].attribute.isOptional
  }
}

import ManagedModel
import StoreRequests

extension StoreAttribute {
  /// Whether the attribute is an enumeration with one column: a composite with one element of its own name.
  ///
  /// The user info is SwiftData's mark. A structure may have a member of the property's name.
  var isEnumeration: Bool {
    description.userInfo["EnumType"] == .boolean(true) && leaves.count == 1
      && leaves[0].path == [description.name, description.name]
  }

  /// Whether each object has a value of the attribute's only leaf.
  ///
  /// The model has the leaf of an enumeration as optional even if the attribute is not. Structures with several leaves require none: their
  /// coding may leave out any of them.
  var requiresValue: Bool {
    guard leaves.count == 1, !description.isOptional, description.derivation == nil else { return false }
    return isEnumeration || !leaves[0].attribute.isOptional
  }
}

import ManagedModel
import StoreRequests

extension StoreRelationship {
  /// Whether the members of a to-many relationship have the key of one owner, which is no property of theirs.
  var hasOwnersWithoutProperty: Bool { description.isToMany && description.inverseName == nil }

  /// The relationship whose foreign key says which objects are related, with the entity that declares it: a to-one
  /// relationship itself, the to-one inverse of a to-many relationship, or a to-many relationship without inverse. `nil` if the
  /// store keeps pairs.
  var keyProperty: ColumnSelection? {
    if description.isToMany, case .key = storage {
      guard let inverse, let inverseEntityName else { return nil }
      return ColumnSelection(entityName: inverseEntityName, propertyName: inverse.name)
    }
    guard !description.isToMany || hasOwnersWithoutProperty else { return nil }
    return ColumnSelection(entityName: declaringEntityName, propertyName: description.name)
  }
}

import ManagedModel
import StoreRequests

/// A required to-one relationship without an inverse that may lead to deleted rows, because no delete rule finds its
/// owners.
struct BatchRequirement {
  let relationship: ToOneLayout
  /// The entity that declares the relationship.
  let owner: EntityLayout
  let destination: EntityLayout

  /// `nil` for any other property.
  init?(_ property: PropertyLayout, of owner: EntityLayout, in layout: StoreLayout) throws {
    guard case .toOne(let relationship) = property, relationship.inverse == nil, !relationship.description.isOptional
    else { return nil }
    self.relationship = relationship
    self.owner = owner
    destination = try layout.destination(of: relationship)
  }

  var destinationTable: BatchTable { BatchTable(destination) }

  /// Finds a row of the owner that stays and leads to a deleted row.
  ///
  /// Its parameters are the first ordinal of the deleted rows (exclusive) and the last one (inclusive).
  var survivor: String {
    let kinds = owner.superentityName == nil ? "" : " AND m.Z_ENT \(SQLText.numbersTest(owner.kindNumbers))"
    let deleted = destinationTable.deletedKeys(of: destination)
    return "SELECT 1 FROM \(owner.table) m WHERE m.\(relationship.key) IN (\(deleted))"
      + "\(kinds) AND NOT EXISTS (SELECT 1 FROM \(BatchTable(owner).deleted) x WHERE x.Z_PK = m.Z_PK) LIMIT 1"
  }
}

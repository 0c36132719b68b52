import ManagedModel
import PostgreSQL
import StoreRequests

/// A required to-one relationship without an inverse that may lead to deleted rows, because no delete rule finds its
/// owners.
struct BatchRequirement {
  let name: String
  /// The entity that declares the relationship.
  let owner: StoreEntity
  let destination: StoreEntity
  /// Finds a row of the owner that stays and leads to a deleted row.
  ///
  /// `$1`: the keys of the destination's deleted rows. `$2`: the keys of the deleted rows of the owner's table.
  let survivor: String

  /// `nil` for any other property.
  init?(_ property: StoreProperty, of owner: StoreEntity, in layout: StoreLayout) throws {
    guard case .toOne(let relationship) = property, relationship.declaringEntityName == owner.name,
      relationship.inverse == nil, !relationship.description.isOptional, !relationship.description.isTransient
    else { return nil }
    name = property.name
    self.owner = owner
    destination = try layout.destination(of: relationship)
    let key = try layout.toOne(property.name, of: owner).key.name
    survivor =
      "SELECT 1 FROM \(layout.table(of: owner).sql) m WHERE m.\(key) IN (SELECT unnest($1::bigint[]))"
      + QueryPrinter(layout).kindFilter(QueryPrinter.Row(alias: "m", entity: owner))
      + " AND NOT EXISTS (SELECT 1 FROM unnest($2::bigint[]) x(k) WHERE x.k = m.\(TableLayout.key)) LIMIT 1"
  }
}

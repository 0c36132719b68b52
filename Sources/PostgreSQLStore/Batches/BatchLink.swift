import ManagedModel
import PostgreSQL
import StoreRequests

/// A relationship from deleted rows to other rows, its members, with the statements that apply its delete rule.
///
/// The statements' parameter `$1` has the keys of the deleted owners. `$2` has the keys of all deleted rows of the members' table.
struct BatchLink {
  let relationship: RelationshipDescription
  /// The entity that declares the relationship.
  let owner: StoreEntity
  let destination: StoreEntity
  let inverse: RelationshipDescription?
  let destinationTable: TableLayout
  private let property: PropertyLayout
  private let ownerTable: TableLayout
  /// The members' key of the owner, if the inverse is a to-one relationship.
  private let inverseKey: ToOneLayout?
  /// ` AND …`: the test that a row `m` is of the destination.
  private let kindFilter: String

  /// `nil` for an attribute, and for a relationship that a superentity declares. `nil` also for a to-many relationship with a transient
  /// inverse: no store keeps it.
  init?(_ property: StoreProperty, of owner: StoreEntity, in layout: StoreLayout) throws {
    switch property {
    case .attribute: return nil
    case .toOne(let relationship), .toMany(let relationship):
      guard relationship.declaringEntityName == owner.name else { return nil }
      if relationship.description.isToMany, relationship.inverse?.isTransient == true { return nil }
      self.relationship = relationship.description
      inverse = relationship.inverse
      destination = try layout.destination(of: relationship)
    }
    self.owner = owner
    self.property = try layout.property(property.name, of: owner)
    ownerTable = layout.table(of: owner)
    destinationTable = layout.table(of: destination)
    if let inverse, !inverse.isToMany, !inverse.isTransient {
      inverseKey = try layout.toOne(inverse.name, of: destination)
    } else {
      inverseKey = nil
    }
    kindFilter = QueryPrinter(layout).kindFilter(QueryPrinter.Row(alias: "m", entity: destination))
  }

  private static let owners = "(SELECT unnest($1::bigint[]))"

  /// A test of members `m` of the deleted owners.
  private var test: String {
    let key = "m.\(TableLayout.key)"
    switch property {
    case .attribute: return "FALSE"
    case .toOne(let toOne):
      return
        "\(key) IN (SELECT o.\(toOne.key.name) FROM \(ownerTable.sql) o WHERE o.\(TableLayout.key) IN \(Self.owners))"
        + kindFilter
    case .toMany(let toMany):
      switch toMany.storage {
      case .key(let side): return "m.\(side.column) IN \(Self.owners)\(kindFilter)"
      case .joinTable(let side):
        return
          "\(key) IN (SELECT j.\(side.other) FROM \(side.table.sql) j WHERE j.\(side.own) IN \(Self.owners))\(kindFilter)"
      }
    }
  }

  private var survives: String {
    "NOT EXISTS (SELECT 1 FROM unnest($2::bigint[]) x(k) WHERE x.k = m.\(TableLayout.key))"
  }

  /// → The members.
  func members(selecting columns: (TableLayout) -> String) -> String {
    "SELECT \(columns(destinationTable)) FROM \(destinationTable.sql) m WHERE \(test) ORDER BY m.\(TableLayout.key)"
  }

  /// → A row if a member is not deleted.
  var survivor: String { "SELECT 1 FROM \(destinationTable.sql) m WHERE \(test) AND \(survives) LIMIT 1" }

  /// A test of members `m` that are not deleted, and whose inverse leads to a deleted owner.
  var released: String {
    guard case .toOne(let toOne) = property, let inverseKey else { return "\(test) AND \(survives)" }
    // Each side of a one-to-one relationship must lead to the other.
    return "EXISTS (SELECT 1 FROM \(ownerTable.sql) o WHERE o.\(TableLayout.key) IN \(Self.owners) "
      + "AND o.\(toOne.key.name) = m.\(TableLayout.key) AND o.\(TableLayout.key) = m.\(inverseKey.key.name))"
      + "\(kindFilter) AND \(survives)"
  }

  /// → A row if a member must give up a deleted owner.
  var releasedMember: String { "SELECT 1 FROM \(destinationTable.sql) m WHERE \(released) LIMIT 1" }

  /// The columns in which a member has its owner's key, and its place among the owner's members.
  var clearedColumns: [Identifier] { inverseKey.map { [$0.key.name, $0.order].compactMap(\.self) } ?? [] }

  /// 0 for a row `m` whose key a parameter has, else 1.
  func isNew(in parameter: Int) -> String {
    "CASE WHEN m.\(TableLayout.key) IN (SELECT unnest($\(parameter)::bigint[])) THEN 0 ELSE 1 END"
  }
}

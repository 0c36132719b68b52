import ManagedModel
import PostgreSQL
import StoreRequests

/// The key of one side of a one-to-one relationship.
struct OneToOneSide: Sendable {
  let name: RelationshipName
  let table: TableLayout
  let key: Identifier
  /// Whether an object must have a partner.
  let isRequired: Bool

  /// The one-to-one relationships of a store.
  static func all(
    of entities: EntityTable, _ tables: [TableLayout], _ properties: [Int32: [String: PropertyLayout]]
  ) -> [OneToOne<OneToOneSide>] {
    var sides: [RelationshipName: (OneToOneSide, inverse: RelationshipName)] = [:]
    for entity in entities.entities {
      for case .toOne(let relationship) in entity.properties where relationship.declaringEntityName == entity.name {
        let description = relationship.description
        guard let name = relationship.oneToOneName, let inverse = relationship.inverse,
          case .toOne(let toOne)? = properties[entity.number]?[description.name]
        else { continue }
        let side = OneToOneSide(
          name: name, table: tables[entity.hierarchy], key: toOne.key.name, isRequired: !description.isOptional)
        sides[name] = (
          side, RelationshipName(entity: relationship.inverseEntityName ?? "", relationship: inverse.name)
        )
      }
    }
    return OneToOne.all(sides)
  }
}

extension StoreRelationship {
  /// The name of the relationship if it is one-to-one; else `nil`.
  var oneToOneName: RelationshipName? {
    guard !description.isToMany, let inverse, !inverse.isToMany, !inverse.isTransient else { return nil }
    return RelationshipName(entity: declaringEntityName, relationship: description.name)
  }
}

extension OneToOne<OneToOneSide> {
  /// Binds the keys of rows whose relationship was written. Selects pairs of such a row and another row whose keys disagree.
  ///
  /// Columns: the written row with its key, whether the other row is at the inverse side, the other row with its key. The
  /// other row is the partner that does not lead back, another owner of the partner, or a former partner.
  func disagreements(_ side: PartnerLinks.Side, inverse: PartnerLinks.Side) -> String {
    let (own, other) = (self.side(side), self.side(inverse))
    let id = TableLayout.key
    func rows(_ x: String, _ theirs: OneToOneSide, on condition: String, _ isInverse: Int, _ test: String) -> String {
      "SELECT w.\(id), \(own.table.number(of: "w")), w.\(own.key), \(isInverse), "
        + "\(x).\(id), \(theirs.table.number(of: x)), \(x).\(theirs.key) FROM unnest($1::bigint[]) s(k) "
        + "JOIN \(own.table.sql) w ON w.\(id) = s.k JOIN \(theirs.table.sql) \(x) ON \(condition) WHERE \(test)"
    }
    return [
      rows("d", other, on: "d.\(id) = w.\(own.key)", 1, "d.\(other.key) IS DISTINCT FROM w.\(id)"),
      rows("o", own, on: "o.\(own.key) = w.\(own.key)", 0, "o.\(id) <> w.\(id)"),
      rows("p", other, on: "p.\(other.key) = w.\(id)", 1, "w.\(own.key) IS DISTINCT FROM p.\(id)"),
    ].joined(separator: " UNION ALL ")
  }
}

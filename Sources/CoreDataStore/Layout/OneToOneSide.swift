import ManagedModel
import SQLite
import StoreRequests

/// The key of one side of a one-to-one relationship (CD-3.1).
struct OneToOneSide: Sendable {
  let name: RelationshipName
  let table: Identifier
  let key: Identifier
  /// Whether an object must have a partner.
  let isRequired: Bool

  /// The one-to-one relationships of some entities.
  static func all(of entities: [EntityLayout]) -> [OneToOne<OneToOneSide>] {
    var sides: [RelationshipName: (OneToOneSide, inverse: RelationshipName)] = [:]
    for entity in entities {
      for case .toOne(let relationship) in entity.properties where relationship.declaringEntityName == entity.name {
        guard let name = relationship.oneToOneName, let inverse = relationship.inverse else { continue }
        let side = OneToOneSide(
          name: name, table: entity.table, key: relationship.key, isRequired: !relationship.description.isOptional)
        sides[name] = (side, RelationshipName(entity: inverse.entityName, relationship: inverse.description.name))
      }
    }
    return OneToOne.all(sides)
  }
}

extension ToOneLayout {
  /// The name of the relationship if it is one-to-one; else `nil`.
  var oneToOneName: RelationshipName? {
    inverseKey.map { _ in RelationshipName(entity: declaringEntityName, relationship: description.name) }
  }
}

extension OneToOne<OneToOneSide> {
  /// Binds the first and the last key of rows whose relationship was written. Selects pairs of such a row and another row
  /// whose keys disagree.
  ///
  /// Columns: the written row with its key, whether the other row is at the inverse side, the other row with its key. The
  /// other row is the partner that does not lead back, another owner of the partner, or a former partner.
  func disagreements(_ side: PartnerLinks.Side, inverse: PartnerLinks.Side) -> String {
    let (own, other) = (self.side(side), self.side(inverse))
    func rows(_ x: String, _ theirs: OneToOneSide, on condition: String, _ isInverse: Int, _ test: String) -> String {
      "SELECT w.Z_PK, w.Z_ENT, w.\(own.key), \(isInverse), \(x).Z_PK, \(x).Z_ENT, \(x).\(theirs.key) "
        + "FROM \(own.table) w CROSS JOIN \(theirs.table) \(x) ON \(condition) "
        + "WHERE w.Z_PK BETWEEN ?1 AND ?2 AND \(test)"
    }
    return [
      rows("d", other, on: "d.Z_PK = w.\(own.key)", 1, "d.\(other.key) IS NOT w.Z_PK"),
      rows("o", own, on: "o.\(own.key) = w.\(own.key)", 0, "o.Z_PK <> w.Z_PK"),
      rows("p", other, on: "p.\(other.key) = w.Z_PK", 1, "w.\(own.key) IS NOT p.Z_PK"),
    ].joined(separator: " UNION ALL ")
  }
}

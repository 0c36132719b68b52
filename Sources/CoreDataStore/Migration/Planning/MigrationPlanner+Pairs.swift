import ManagedModel
import SQLite
import StoreRequests

extension MigrationPlanner {
  /// The pairs of old relationships whose rows the new model keeps; `nil` for no relationship.
  func pairs(of formers: [FormerRelationship]) -> RelationshipPairs? {
    RelationshipPairs.union(
      formers.compactMap { former in pairs(of: former).map { former.isSwapped ? $0.swapped : $0 } })
  }

  /// The layout of an old relationship; `nil` for one that is not stored.
  func layout(of former: FormerRelationship) -> PropertyLayout? {
    old.entity(named: former.entityName)?.property(named: former.description.name)
  }

  private func pairs(of former: FormerRelationship) -> RelationshipPairs? {
    guard !former.members.names.isEmpty, let table = old.entity(named: former.entityName)?.table else { return nil }
    switch layout(of: former) {
    case nil, .attribute: return nil
    case .toOne(let relationship): return pairs(of: relationship, of: former, in: table)
    case .toMany(let relationship):
      switch relationship.storage {
      case .key(let side):
        let conditions = [
          "\(side.key) NOT NULL", former.members.isWhole ? nil : kindTest(former.members),
          exists(side.key, in: table, former.owners),
        ]
        return RelationshipPairs(
          sql: "SELECT \(side.key) AS a, Z_PK AS b, \(side.orderColumn.map(\.description) ?? "NULL") AS o, NULL AS r"
            + " FROM \(present(side.table))\(RelationshipPairs.filter(conditions))",
          hasMemberOrder: side.orderColumn != nil, hasOwnerOrder: false, hasOneOwner: true, hasOneMember: false)
      case .joinTable(let side):
        let conditions = [
          exists(side.ownColumn, in: table, former.owners),
          exists(side.otherColumn, in: relationship.destinationTable, former.members),
        ]
        return RelationshipPairs(
          sql:
            "SELECT \(side.ownColumn) AS a, \(side.otherColumn) AS b, \(side.orderColumn.map(\.description) ?? "NULL") AS o,"
            + " \(side.inverseOrderColumn.map(\.description) ?? "NULL") AS r FROM \(present(side.table))\(RelationshipPairs.filter(conditions))",
          hasMemberOrder: side.orderColumn != nil, hasOwnerOrder: side.inverseOrderColumn != nil, hasOneOwner: false,
          hasOneMember: false)
      }
    }
  }

  private func pairs(
    of relationship: ToOneLayout, of former: FormerRelationship, in table: Identifier
  ) -> RelationshipPairs {
    let key = relationship.key
    let conditions = [
      "\(key) NOT NULL", kindTest(former.owners), exists(key, in: relationship.destinationTable, former.members),
    ]
    var sql =
      "SELECT Z_PK AS a, \(key) AS b, NULL AS o, \(relationship.orderColumn.map(\.description) ?? "NULL") AS r"
      + " FROM \(present(table))\(RelationshipPairs.filter(conditions))"
    if let inverse = relationship.inverseKey {
      // Real stores have one-to-one relationships with a key on one side only (CD-3.1).
      let unlinked = "SELECT Z_PK FROM \(present(table)) WHERE \(key) IS NULL AND \(kindTest(former.owners))"
      let linked = "SELECT \(key) FROM \(present(table)) WHERE \(key) NOT NULL"
      sql +=
        " UNION ALL SELECT \(inverse), min(Z_PK), NULL, NULL FROM \(present(relationship.destinationTable))"
        + " WHERE \(inverse) IN (\(unlinked)) AND Z_PK NOT IN (\(linked)) AND \(kindTest(former.members))"
        + " GROUP BY \(inverse)"
    }
    return RelationshipPairs(
      sql: sql, hasMemberOrder: false, hasOwnerOrder: relationship.orderColumn != nil,
      hasOneOwner: relationship.inverseKey != nil, hasOneMember: true)
  }

  /// The test for rows of old entities.
  func kindTest(_ kinds: FormerRelationship.Kinds) -> String {
    "Z_ENT \(SQLText.numbersTest(kinds.names.compactMap { old.entity(named: $0)?.number }))"
  }

  /// The test that a key leads to a row of old entities; `nil` if any row will do.
  func exists(_ key: Identifier, in table: Identifier, _ kinds: FormerRelationship.Kinds) -> String? {
    // Without the plus, the index of a join table would be searched for each two objects.
    kinds.isWhole ? nil : "+\(key) IN (SELECT Z_PK FROM \(present(table)) WHERE \(kindTest(kinds)))"
  }
}

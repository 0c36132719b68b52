import ManagedModel
import PostgreSQL
import StoreRequests

extension MigrationPlanner {
  /// The pairs of old relationships whose rows the new model keeps; `nil` for no relationship.
  func pairs(of formers: [FormerRelationship]) -> RelationshipPairs? {
    RelationshipPairs.union(
      formers.compactMap { former in pairs(of: former).map { former.isSwapped ? $0.swapped : $0 } })
  }

  /// The layout of an old relationship; `nil` for one that is not stored.
  func layout(of former: FormerRelationship) -> PropertyLayout? {
    old.entities.entity(named: former.entityName).flatMap { try? old.property(former.description.name, of: $0) }
  }

  private func pairs(of former: FormerRelationship) -> RelationshipPairs? {
    guard !former.members.names.isEmpty, let owner = old.entities.entity(named: former.entityName),
      let member = old.entities.entity(named: former.description.destinationEntityName)
    else { return nil }
    let (owners, members) = (old.table(of: owner), old.table(of: member))
    func column(_ name: Identifier?) -> String { name.map { "t.\($0)" } ?? "NULL::bigint" }
    switch layout(of: former) {
    case nil, .attribute: return nil
    case .toOne(let relationship):
      let key = relationship.key.name
      let conditions = [
        "t.\(key) IS NOT NULL", kindTest(former.owners.names, in: owners, alias: "t"),
        exists("t.\(key)", in: members, former.members),
      ]
      return RelationshipPairs(
        sql:
          "SELECT t.\(TableLayout.key) AS a, t.\(key) AS b, NULL::bigint AS o, \(column(relationship.order)) AS r "
          + "FROM \(owners.sql) t\(RelationshipPairs.filter(conditions))",
        hasMemberOrder: false, hasOwnerOrder: relationship.order != nil,
        hasOneOwner: relationship.relationship.inverse?.isToMany == false, hasOneMember: true)
    case .toMany(let relationship):
      switch relationship.storage {
      case .key(let side):
        let conditions = [
          "t.\(side.column) IS NOT NULL",
          former.members.isWhole ? nil : kindTest(former.members.names, in: members, alias: "t"),
          exists("t.\(side.column)", in: owners, former.owners),
        ]
        return RelationshipPairs(
          sql: "SELECT t.\(side.column) AS a, t.\(TableLayout.key) AS b, \(column(side.order)) AS o, NULL::bigint AS r "
            + "FROM \(members.sql) t\(RelationshipPairs.filter(conditions))",
          hasMemberOrder: side.order != nil, hasOwnerOrder: false, hasOneOwner: true, hasOneMember: false)
      case .joinTable(let side):
        let conditions = [
          exists("t.\(side.own)", in: owners, former.owners), exists("t.\(side.other)", in: members, former.members),
        ]
        return RelationshipPairs(
          sql:
            "SELECT t.\(side.own) AS a, t.\(side.other) AS b, \(column(side.order)) AS o, \(column(side.inverseOrder)) AS r "
            + "FROM \(side.table.sql) t\(RelationshipPairs.filter(conditions))",
          hasMemberOrder: side.order != nil, hasOwnerOrder: side.inverseOrder != nil, hasOneOwner: false,
          hasOneMember: false)
      }
    }
  }

  /// The test that a key leads to a row of old entities; `nil` if any row will do.
  func exists(_ key: String, in table: TableLayout, _ kinds: FormerRelationship.Kinds) -> String? {
    guard !kinds.isWhole else { return nil }
    return
      "EXISTS (SELECT 1 FROM \(table.sql) d WHERE d.\(TableLayout.key) = \(key) AND \(kindTest(kinds.names, in: table, alias: "d")))"
  }
}

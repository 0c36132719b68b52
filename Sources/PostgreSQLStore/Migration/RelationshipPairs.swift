import ManagedModel
import PostgreSQL
import StoreRequests

/// The pairs of old relationships, from keys or from join tables, as a query with four columns.
///
/// `a` is the owner's key, `b` the member's. `o` is the order key of the member among the owner's members; `r` that of the owner among
/// the member's owners.
struct RelationshipPairs {
  var sql: String
  let hasMemberOrder: Bool
  let hasOwnerOrder: Bool
  /// Whether a member has one owner at most, and an owner one member at most.
  let hasOneOwner: Bool
  let hasOneMember: Bool

  var swapped: RelationshipPairs {
    RelationshipPairs(
      sql: "SELECT b AS a, a AS b, r AS o, o AS r FROM (\(sql)) x", hasMemberOrder: hasOwnerOrder,
      hasOwnerOrder: hasMemberOrder, hasOneOwner: hasOneMember, hasOneMember: hasOneOwner)
  }

  /// All pairs of several relationships, each once; `nil` for no relationship.
  ///
  /// Order keys of several relationships may be equal. They are no new order keys, but they can be sorted by.
  static func union(_ parts: [RelationshipPairs]) -> RelationshipPairs? {
    guard parts.count > 1 else { return parts.first }
    let all = parts.map { "SELECT a, b, o, r FROM (\($0.sql)) x" }.joined(separator: " UNION ALL ")
    return RelationshipPairs(
      sql: "SELECT a, b, max(o) AS o, max(r) AS r FROM (\(all)) y GROUP BY a, b",
      hasMemberOrder: false, hasOwnerOrder: false, hasOneOwner: false, hasOneMember: false)
  }

  /// Counts the owners with several members.
  var ownersOfSeveral: String { Self.several("a", among: "b", sql) }
  /// Counts the members with several owners.
  var membersOfSeveral: String { Self.several("b", among: "a", sql) }

  private static func several(_ one: String, among other: String, _ sql: String) -> String {
    "SELECT count(*) FROM (SELECT \(one) FROM (\(sql)) p GROUP BY \(one) HAVING count(DISTINCT \(other)) > 1) q"
  }
}

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
          + "FROM \(owners.sql) t\(Self.filter(conditions))",
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
            + "FROM \(members.sql) t\(Self.filter(conditions))",
          hasMemberOrder: side.order != nil, hasOwnerOrder: false, hasOneOwner: true, hasOneMember: false)
      case .joinTable(let side):
        let conditions = [
          exists("t.\(side.own)", in: owners, former.owners), exists("t.\(side.other)", in: members, former.members),
        ]
        return RelationshipPairs(
          sql:
            "SELECT t.\(side.own) AS a, t.\(side.other) AS b, \(column(side.order)) AS o, \(column(side.inverseOrder)) AS r "
            + "FROM \(side.table.sql) t\(Self.filter(conditions))",
          hasMemberOrder: side.order != nil, hasOwnerOrder: side.inverseOrder != nil, hasOneOwner: false,
          hasOneMember: false)
      }
    }
  }

  private static func filter(_ conditions: [String?]) -> String {
    let conditions = conditions.compactMap(\.self)
    return conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
  }

  /// The test that a key leads to a row of old entities; `nil` if any row will do.
  func exists(_ key: String, in table: TableLayout, _ kinds: FormerRelationship.Kinds) -> String? {
    guard !kinds.isWhole else { return nil }
    return
      "EXISTS (SELECT 1 FROM \(table.sql) d WHERE d.\(TableLayout.key) = \(key) AND \(kindTest(kinds.names, in: table, alias: "d")))"
  }
}

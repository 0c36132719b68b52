/// The pairs of old relationships, from keys or from join tables, as a query with four columns; its SQL is that of both engines.
///
/// `a` is the owner's key, `b` the member's. `o` is the order key of the member among the owner's members; `r` that of the owner among
/// the member's owners.
package struct RelationshipPairs {
  package var sql: String
  package let hasMemberOrder: Bool
  package let hasOwnerOrder: Bool
  /// Whether a member has one owner at most, and an owner one member at most.
  package let hasOneOwner: Bool
  package let hasOneMember: Bool

  package init(sql: String, hasMemberOrder: Bool, hasOwnerOrder: Bool, hasOneOwner: Bool, hasOneMember: Bool) {
    self.sql = sql
    self.hasMemberOrder = hasMemberOrder
    self.hasOwnerOrder = hasOwnerOrder
    self.hasOneOwner = hasOneOwner
    self.hasOneMember = hasOneMember
  }

  package var swapped: RelationshipPairs {
    RelationshipPairs(
      sql: "SELECT b AS a, a AS b, r AS o, o AS r FROM (\(sql)) x", hasMemberOrder: hasOwnerOrder,
      hasOwnerOrder: hasMemberOrder, hasOneOwner: hasOneMember, hasOneMember: hasOneOwner)
  }

  /// All pairs of several relationships, each once; `nil` for no relationship.
  ///
  /// Order keys of several relationships may be equal. They are no new order keys, but they can be sorted by.
  package static func union(_ parts: [RelationshipPairs]) -> RelationshipPairs? {
    guard parts.count > 1 else { return parts.first }
    let all = parts.map { "SELECT a, b, o, r FROM (\($0.sql)) x" }.joined(separator: " UNION ALL ")
    return RelationshipPairs(
      sql: "SELECT a, b, max(o) AS o, max(r) AS r FROM (\(all)) y GROUP BY a, b",
      hasMemberOrder: false, hasOwnerOrder: false, hasOneOwner: false, hasOneMember: false)
  }

  /// Counts the owners with several members.
  package var ownersOfSeveral: String { Self.several("a", among: "b", sql) }
  /// Counts the members with several owners.
  package var membersOfSeveral: String { Self.several("b", among: "a", sql) }

  private static func several(_ one: String, among other: String, _ sql: String) -> String {
    "SELECT count(*) FROM (SELECT \(one) FROM (\(sql)) p GROUP BY \(one) HAVING count(DISTINCT \(other)) > 1) q"
  }

  /// The condition of a query, with `WHERE`; empty if all are `nil`.
  package static func filter(_ conditions: [String?]) -> String {
    let conditions = conditions.compactMap(\.self)
    return conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
  }
}

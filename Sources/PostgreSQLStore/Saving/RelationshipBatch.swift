import PostgreSQL
import StoreRequests

/// Owners and members of a to-many relationship, for one statement.
struct MemberPairs {
  private(set) var owners: [Int64] = []
  private(set) var members: [Int64] = []

  var isEmpty: Bool { owners.isEmpty }

  mutating func append(_ owner: Int64, _ members: [Int64]) {
    for member in members {
      owners.append(owner)
      self.members.append(member)
    }
  }

  /// The source of ``rows`` and ``placedRows``.
  var parameters: [Parameter] { [.integers(owners), .integers(members)] }

  static let rows = "unnest($1::bigint[], $2::bigint[]) s(owner, member)"
  /// The pairs with their places in the list.
  static let placedRows = "unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY s(owner, member, place)"

  /// The pairs of two different objects.
  var withoutSelf: MemberPairs {
    var result = MemberPairs()
    for (owner, member) in zip(owners, members) where owner != member { result.append(owner, [member]) }
    return result
  }

  /// The pairs in which each member has one owner only: the last one.
  var lastOwners: MemberPairs {
    let last = Dictionary(zip(members, members.indices), uniquingKeysWith: { max($0, $1) })
    var result = MemberPairs()
    for index in members.indices where last[members[index]] == index { result.append(owners[index], [members[index]]) }
    return result
  }
}

/// Changes of one to-many relationship, gathered for a few statements.
struct RelationshipBatch {
  let toMany: ToManyLayout
  private(set) var added = MemberPairs()
  private(set) var removed = MemberPairs()
  /// The wanted orders, each to be applied to what those before it give.
  private(set) var orders: [(owner: Int64, members: [Int64])] = []

  init(_ toMany: ToManyLayout) { self.toMany = toMany }

  mutating func add(_ owner: Int64, added: [Int64], removed: [Int64], order: [Int64]?) {
    self.added.append(owner, added)
    self.removed.append(owner, removed)
    if let order { orders.append((owner, order)) }
  }
}

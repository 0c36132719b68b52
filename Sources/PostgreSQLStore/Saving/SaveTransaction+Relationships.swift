import ManagedModel
import PostgreSQL
import StoreRequests

extension SaveTransaction {
  /// Writes the changes of to-many relationships: pairs, keys without an inverse, and the order of both kinds. Cost: a few statements for each
  /// relationship.
  mutating func writeRelationships() throws {
    var batches: [RelationshipBatch] = []
    var places: [RelationshipName: Int] = [:]
    for change in changes.relationshipChanges {
      let owner = try object(change.owner)
      let toMany = try layout.toMany(change.relationship, of: try layout.existingEntity(owner.entity))
      let name = RelationshipName(
        entity: toMany.relationship.declaringEntityName, relationship: change.relationship)
      let place = places[name] ?? batches.count
      if place == batches.count {
        places[name] = place
        batches.append(RelationshipBatch(toMany))
      }
      batches[place].add(
        owner.key, added: try keys(of: change.added), removed: try keys(of: change.removed),
        order: try change.order.map { try keys(of: $0) })
    }
    for batch in batches { try writeMembers(batch) }
    // The pairs of an ordered relationship may be listed by its members, in another batch.
    for batch in batches { try writeOrder(batch) }
  }

  /// The keys of rows. Not in a mutating method: a closure there copies the whole transaction for each row.
  private func keys(of references: [ChangeSet.Reference]) throws -> [Int64] {
    try references.map { try object($0).key }
  }

  /// Removes all members before it adds any: two owners may have become one row, and one of them may add a member that
  /// the other removes.
  private func writeMembers(_ batch: RelationshipBatch) throws {
    switch batch.toMany.storage {
    case .joinTable(let side):
      if !batch.removed.isEmpty { try removePairs(side, batch.removed) }
      if !batch.added.isEmpty { try addPairs(side, batch.added) }
    case .key(let side) where side.isVirtual:
      let table = layout.table(of: try layout.destination(of: batch.toMany.relationship))
      try setVirtualKeys(side, table, added: batch.added, removed: batch.removed)
    case .key: break
    }
  }

  private mutating func writeOrder(_ batch: RelationshipBatch) throws {
    let destination = try layout.destination(of: batch.toMany.relationship)
    // The save deletes rows after it has written all others; they have no place any more.
    let deleted = batch.orders.isEmpty ? [] : Set(try deletedKeys()[destination.hierarchy] ?? [])
    switch batch.toMany.storage {
    case .joinTable(let side):
      if let column = side.order { try reorder(side.rows(column), batch.orders, without: deleted) }
    case .key(let side):
      guard let column = side.order else { return }
      let table = layout.table(of: destination)
      let rows = OrderedRows(
        table: table.sql, owner: side.column, member: TableLayout.key, order: column,
        hierarchy: side.isVirtual ? nil : destination.hierarchy, inverse: batch.toMany.relationship.inverse?.name)
      try reorder(rows, batch.orders, without: deleted)
      if side.isVirtual {
        let places = batch.added.members.indices.map { changes.updates.count + changes.insertions.count + $0 }
        unordered[
          OrderedColumn(hierarchy: destination.hierarchy, key: side.column, order: column), default: UnorderedKeys()
        ].add(batch.added.members, places)
      }
    }
  }

  private func removePairs(_ side: ToManyLayout.JoinSide, _ pairs: MemberPairs) throws {
    func remove(_ own: Identifier, _ other: Identifier) throws {
      _ = try connection.run(
        "DELETE FROM \(side.table.sql) t USING \(MemberPairs.rows) WHERE t.\(own) = s.owner AND t.\(other) = s.member",
        pairs.parameters)
    }
    try remove(side.own, side.other)
    if side.isReflexive { try remove(side.other, side.own) }
  }

  /// Adds pairs that are not there yet. A new pair comes last in the order of each side whose relationship is ordered.
  private func addPairs(_ side: ToManyLayout.JoinSide, _ pairs: MemberPairs) throws {
    func add(
      _ own: Identifier, _ other: Identifier, _ order: Identifier?, _ inverseOrder: Identifier?, _ pairs: MemberPairs
    ) throws {
      var names = [own, other]
      var values = ["s.owner", "s.member"]
      var joins = ""
      for (order, column, key, parameter) in [(order, own, "owner", "$1"), (inverseOrder, other, "member", "$2")] {
        guard let order else { continue }
        names.append(order)
        values.append(
          "coalesce(\(key)s.last, \(OrderKeys.first - OrderKeys.step)) + row_number() OVER (PARTITION BY s.\(key) ORDER BY s.place) * \(OrderKeys.step)"
        )
        joins +=
          " LEFT JOIN (SELECT x.\(column) AS key, max(x.\(order)) AS last FROM \(side.table.sql) x "
          + "WHERE x.\(column) = ANY (\(parameter)) GROUP BY x.\(column)) \(key)s ON \(key)s.key = s.\(key)"
      }
      _ = try connection.run(
        "INSERT INTO \(side.table.sql) (\(names.map { "\($0)" }.joined(separator: ", "))) "
          + "SELECT \(values.joined(separator: ", ")) FROM \(MemberPairs.placedRows)\(joins) ON CONFLICT DO NOTHING",
        pairs.parameters)
    }
    try add(side.own, side.other, side.order, side.inverseOrder, pairs)
    guard side.isReflexive else { return }
    let others = pairs.withoutSelf
    // The same pair, seen from the member, comes last in the member's order.
    if !others.isEmpty { try add(side.other, side.own, nil, side.order, others) }
  }

  private func setVirtualKeys(
    _ side: ToManyLayout.KeySide, _ table: TableLayout, added: MemberPairs, removed: MemberPairs
  ) throws {
    let clearing = side.order.map { ", \($0) = NULL" } ?? ""
    if !removed.isEmpty {
      _ = try connection.run(
        "UPDATE \(table.sql) t SET \(side.column) = NULL\(clearing) FROM \(MemberPairs.rows) "
          + "WHERE t.\(side.column) = s.owner AND t.\(TableLayout.key) = s.member", removed.parameters)
    }
    if !added.isEmpty {
      let keeping =
        side.order.map { ", \($0) = CASE WHEN t.\(side.column) IS NOT DISTINCT FROM s.owner THEN t.\($0) END" } ?? ""
      _ = try connection.run(
        "UPDATE \(table.sql) t SET \(side.column) = s.owner\(keeping) FROM \(MemberPairs.rows) "
          + "WHERE t.\(TableLayout.key) = s.member", added.lastOwners.parameters)
    }
  }

  // MARK: Order

  /// Moves members of owners into wanted orders, and changes as few rows as the gaps allow (``MemberArrangement``). Cost: two statements.
  ///
  /// - Parameter deleted: members that the save deletes.
  private mutating func reorder(
    _ rows: OrderedRows, _ wanted: [(owner: Int64, members: [Int64])], without deleted: Set<Int64>
  ) throws {
    guard !wanted.isEmpty else { return }
    let found = try connection.run(
      "SELECT \(rows.owner), \(rows.member), \(rows.order) FROM \(rows.table) WHERE \(rows.owner) = ANY ($1) "
        + "ORDER BY \(rows.owner), \(rows.order) NULLS FIRST, \(rows.member)", [.integers(wanted.map(\.owner))])
    var present: [Int64: [MemberPlace]] = [:]
    for row in 0..<found.rowCount where !deleted.contains(found.integer(row, 1)) {
      let place = found.isNull(row, 2) ? nil : found.integer(row, 2)
      present[found.integer(row, 0), default: []].append(MemberPlace(member: found.integer(row, 1), place: place))
    }
    // Two objects that have become one row each have an order; the second one is applied to what the first one gives.
    var arranged: [Int64: [Int64: Int64]] = [:]
    for (owner, members) in wanted {
      let arrangement = MemberArrangement(present[owner] ?? [], as: members)
      present[owner] = arrangement.members
      arranged[owner, default: [:]].merge(arrangement.moved.map { ($0.member, $0.place) }) { $1 }
    }
    var moved = MemberPairs()
    var places: [Int64] = []
    for row in 0..<found.rowCount {
      let (owner, member) = (found.integer(row, 0), found.integer(row, 1))
      guard let place = arranged[owner]?[member], found.isNull(row, 2) || found.integer(row, 2) != place else {
        continue
      }
      moved.append(owner, [member])
      places.append(place)
    }
    if !moved.isEmpty { try move(rows, moved, to: places) }
  }

  private mutating func move(_ rows: OrderedRows, _ moved: MemberPairs, to places: [Int64]) throws {
    let parameters = moved.parameters + [.integers(places)]
    let source = "unnest($1::bigint[], $2::bigint[], $3::bigint[]) s(owner, member, place)"
    let condition = "WHERE t.\(rows.owner) = s.owner AND t.\(rows.member) = s.member"
    guard let hierarchy = rows.hierarchy else {
      _ = try connection.run(
        "UPDATE \(rows.table) t SET \(rows.order) = s.place FROM \(source) \(condition)", parameters)
      return
    }
    // The version of a row that only moves grows, too.
    let table = layout.tables[hierarchy]
    let written = moved.members.filter { key in
      table.entities.contains { writtenRows.contains(ObjectKey(entity: $0.number, key: key)) }
    }
    let found = try connection.run(
      "UPDATE \(rows.table) t SET \(rows.order) = s.place, \(TableLayout.version) = t.\(TableLayout.version) + "
        + "CASE WHEN s.member = ANY ($4) THEN 0 ELSE 1 END FROM \(source) \(condition) "
        + "RETURNING t.\(rows.member), \(table.number(of: "t"))", parameters + [.integers(written)])
    for row in 0..<found.rowCount {
      let object = ObjectKey(entity: Int32(truncatingIfNeeded: found.integer(row, 1)), key: found.integer(row, 0))
      if writtenRows.insert(object).inserted { result.moved.append(object) }
      // The place belongs to the member's own side.
      if let name = rows.inverse, relinked[object]?.contains(name) != true {
        relinked[object, default: []].append(name)
      }
    }
  }

  /// Notes rows whose ordered foreign keys the save writes, with their places in the change set.
  mutating func noteUnordered(_ rows: RowGroup, _ places: [Int]) {
    for (column, _) in orderedColumns(of: rows) {
      unordered[column, default: UnorderedKeys()].add(rows.keyList, places)
    }
  }

  /// Places rows with a newly written key after the owner's other members, in the order of the change set.
  ///
  /// A row whose place the change set gives has it already.
  mutating func appendUnordered() throws {
    for (column, keys) in unordered.sorted(by: { $0.key.key.name < $1.key.key.name }) {
      let table = layout.tables[column.hierarchy].sql
      let (key, owner, order) = (TableLayout.key, column.key, column.order)
      _ = try connection.run(
        """
        UPDATE \(table) t SET \(order) = s.last + s.n * \(OrderKeys.step) FROM (
          SELECT m.\(key) AS k, row_number() OVER (PARTITION BY m.\(owner) ORDER BY u.place) AS n,
            (SELECT coalesce(max(x.\(order)), \(OrderKeys.first - OrderKeys.step)) FROM \(table) x WHERE x.\(owner) = m.\(owner)) AS last
          FROM unnest($1::bigint[]) WITH ORDINALITY u(k, place) JOIN \(table) m ON m.\(key) = u.k
          WHERE m.\(owner) IS NOT NULL AND m.\(order) IS NULL) s
        WHERE t.\(key) = s.k
        """, [.integers(keys.inOrder)])
    }
  }
}

/// The keys of rows whose ordered foreign key a save has written, each with its first place in the change set.
struct UnorderedKeys {
  private var places: [Int64: Int] = [:]

  mutating func add(_ keys: [Int64], _ places: [Int]) {
    self.places.merge(zip(keys, places), uniquingKeysWith: min)
  }

  var inOrder: [Int64] { places.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key) }
}

/// The place of an ordered relationship: rows of `table` whose `owner` column has the owner's key, identified by `member`.
struct OrderedRows {
  let table: String
  let owner: Identifier
  let member: Identifier
  let order: Identifier
  /// The hierarchy of the rows whose versions grow as they move; `nil` for pairs and for keys that no property has.
  let hierarchy: Int?
  /// The members' own relationship, which history names for a row that moves.
  let inverse: String?
}

extension ToManyLayout.JoinSide {
  fileprivate func rows(_ order: Identifier) -> OrderedRows {
    OrderedRows(table: table.sql, owner: own, member: other, order: order, hierarchy: nil, inverse: nil)
  }
}

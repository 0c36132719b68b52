import PostgreSQL
import StoreRequests

extension SaveTransaction {
  /// Writes the changes of a to-many relationship: pairs, keys without an inverse, and the order of both kinds.
  mutating func apply(_ change: ChangeSet.RelationshipChange) throws {
    let owner = try object(change.owner)
    let entity = try layout.existingEntity(owner.entity)
    let toMany = try layout.toMany(change.relationship, of: entity)
    let added = try change.added.map { try object($0).key }
    let removed = try change.removed.map { try object($0).key }
    let order = try change.order?.map { try object($0).key }
    switch toMany.storage {
    case .joinTable(let side):
      if !removed.isEmpty { try removePairs(side, owner.key, removed) }
      if !added.isEmpty { try addPairs(side, owner.key, added) }
      if let column = side.order, let order { try reorder(side.rows(column), owner: owner.key, order) }
    case .key(let side):
      let destination = try layout.destination(of: toMany.relationship)
      let table = layout.table(of: destination)
      if side.isVirtual {
        try setVirtualKeys(side, table, owner: owner.key, added: added, removed: removed)
      }
      guard let column = side.order else { return }
      let rows = OrderedRows(
        table: table.sql, owner: side.column, member: TableLayout.key, order: column,
        hierarchy: side.isVirtual ? nil : destination.hierarchy)
      if let order { try reorder(rows, owner: owner.key, order) }
      if side.isVirtual {
        unordered[OrderedColumn(hierarchy: destination.hierarchy, key: side.column, order: column), default: []] +=
          added
      }
    }
  }

  private func removePairs(_ side: ToManyLayout.JoinSide, _ owner: Int64, _ members: [Int64]) throws {
    func remove(_ own: Identifier, _ other: Identifier) throws {
      _ = try connection.run(
        "DELETE FROM \(side.table.sql) WHERE \(own) = $1 AND \(other) = ANY ($2)",
        [.integer(owner), .integers(members)])
    }
    try remove(side.own, side.other)
    if side.isReflexive { try remove(side.other, side.own) }
  }

  /// Adds pairs that are not there yet. A new pair comes last in the order of each side whose relationship is ordered.
  private func addPairs(_ side: ToManyLayout.JoinSide, _ owner: Int64, _ members: [Int64]) throws {
    func add(_ own: Identifier, _ other: Identifier, _ order: Identifier?, _ inverseOrder: Identifier?) throws {
      var names = [own, other]
      var values = ["$1", "s.k"]
      if let order {
        names.append(order)
        values.append(
          "(SELECT coalesce(max(\(order)), \(OrderKeys.first - OrderKeys.step)) FROM \(side.table.sql) WHERE \(own) = $1) + s.n * \(OrderKeys.step)"
        )
      }
      if let inverseOrder {
        names.append(inverseOrder)
        values.append(
          "(SELECT coalesce(max(x.\(inverseOrder)), \(OrderKeys.first - OrderKeys.step)) FROM \(side.table.sql) x WHERE x.\(other) = s.k) + \(OrderKeys.step)"
        )
      }
      _ = try connection.run(
        "INSERT INTO \(side.table.sql) (\(names.map { "\($0)" }.joined(separator: ", "))) "
          + "SELECT \(values.joined(separator: ", ")) FROM unnest($2::bigint[]) WITH ORDINALITY s(k, n) "
          + "ON CONFLICT DO NOTHING", [.integer(owner), .integers(members)])
    }
    try add(side.own, side.other, side.order, side.inverseOrder)
    guard side.isReflexive else { return }
    let others = members.filter { $0 != owner }
    // The same pair, seen from the member, comes last in the member's order.
    if !others.isEmpty { try add(side.other, side.own, nil, side.order) }
  }

  private func setVirtualKeys(
    _ side: ToManyLayout.KeySide, _ table: TableLayout, owner: Int64, added: [Int64], removed: [Int64]
  ) throws {
    let clearing = side.order.map { ", \($0) = NULL" } ?? ""
    if !removed.isEmpty {
      _ = try connection.run(
        "UPDATE \(table.sql) SET \(side.column) = NULL\(clearing) WHERE \(side.column) = $1 AND \(TableLayout.key) = ANY ($2)",
        [.integer(owner), .integers(removed)])
    }
    if !added.isEmpty {
      let keeping =
        side.order.map { ", \($0) = CASE WHEN \(side.column) IS NOT DISTINCT FROM $1 THEN \($0) END" } ?? ""
      _ = try connection.run(
        "UPDATE \(table.sql) SET \(side.column) = $1\(keeping) WHERE \(TableLayout.key) = ANY ($2)",
        [.integer(owner), .integers(added)])
    }
  }

  // MARK: Order

  /// Moves an owner's members into a wanted order, and changes as few rows as the gaps allow.
  ///
  /// A member that the list lacks, for example because another context or process added it, follows the listed members. Such members
  /// keep their present order.
  private mutating func reorder(_ rows: OrderedRows, owner: Int64, _ wanted: [Int64]) throws {
    let present = try connection.run(
      "SELECT \(rows.member), \(rows.order) FROM \(rows.table) WHERE \(rows.owner) = $1 "
        + "ORDER BY \(rows.order) NULLS FIRST, \(rows.member)", [.integer(owner)])
    var current: [Int64: Int64?] = [:]
    var members: [Int64] = []
    for row in 0..<present.rowCount {
      members.append(present.integer(row, 0))
      current[present.integer(row, 0)] = .some(present.isNull(row, 1) ? nil : present.integer(row, 1))
    }
    var seen: Set<Int64> = []
    let sequence = (wanted.filter { current[$0] != nil } + members).filter { seen.insert($0).inserted }
    let values = OrderKeys.assign(sequence.map { current[$0] ?? nil })
    let moved = zip(sequence, values).filter { current[$0] != .some(.some($1)) }
    guard !moved.isEmpty else { return }
    let parameters = [.integers(moved.map(\.0)), .integers(moved.map(\.1)), Parameter.integer(owner)]
    guard let hierarchy = rows.hierarchy else {
      _ = try connection.run(
        "UPDATE \(rows.table) t SET \(rows.order) = s.o FROM unnest($1::bigint[], $2::bigint[]) s(k, o) "
          + "WHERE t.\(rows.owner) = $3 AND t.\(rows.member) = s.k", parameters)
      return
    }
    // The version of a row that only moves grows, too.
    let table = layout.tables[hierarchy]
    let written = moved.map(\.0).filter { key in
      table.entities.contains { writtenRows.contains(ObjectKey(entity: $0.number, key: key)) }
    }
    let found = try connection.run(
      "UPDATE \(rows.table) t SET \(rows.order) = s.o, \(TableLayout.version) = t.\(TableLayout.version) + "
        + "CASE WHEN s.k = ANY ($4) THEN 0 ELSE 1 END FROM unnest($1::bigint[], $2::bigint[]) s(k, o) "
        + "WHERE t.\(rows.owner) = $3 AND t.\(rows.member) = s.k RETURNING t.\(rows.member), \(table.number(of: "t"))",
      parameters + [.integers(written)])
    for row in 0..<found.rowCount {
      let object = ObjectKey(entity: Int32(truncatingIfNeeded: found.integer(row, 1)), key: found.integer(row, 0))
      if writtenRows.insert(object).inserted { result.moved.append(object) }
    }
  }

  /// Places rows with a newly written key after the owner's other members, unless the change set gives their place.
  mutating func appendUnordered() throws {
    for (column, keys) in unordered.sorted(by: { $0.key.key.name < $1.key.key.name }) {
      let table = layout.tables[column.hierarchy].sql
      let (key, owner, order) = (TableLayout.key, column.key, column.order)
      _ = try connection.run(
        """
        UPDATE \(table) t SET \(order) = s.last + s.n * \(OrderKeys.step) FROM (
          SELECT \(key) AS k, row_number() OVER (PARTITION BY \(owner) ORDER BY \(key)) AS n,
            (SELECT coalesce(max(x.\(order)), \(OrderKeys.first - OrderKeys.step)) FROM \(table) x WHERE x.\(owner) = m.\(owner)) AS last
          FROM \(table) m WHERE \(key) = ANY ($1) AND \(owner) IS NOT NULL AND \(order) IS NULL) s
        WHERE t.\(key) = s.k
        """, [.integers(keys)])
    }
  }
}

/// The place of an ordered relationship: rows of `table` whose `owner` column has the owner's key, identified by `member`.
struct OrderedRows {
  let table: String
  let owner: Identifier
  let member: Identifier
  let order: Identifier
  /// The hierarchy of the rows whose versions grow as they move; `nil` for pairs and for keys that no property has.
  let hierarchy: Int?
}

extension ToManyLayout.JoinSide {
  fileprivate func rows(_ order: Identifier) -> OrderedRows {
    OrderedRows(table: table.sql, owner: own, member: other, order: order, hierarchy: nil)
  }
}

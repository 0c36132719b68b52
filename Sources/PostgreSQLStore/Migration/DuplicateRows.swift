import ManagedModel
import PostgreSQL
import StoreRequests

/// Merges rows that have equal values of a new uniqueness constraint, in the transaction of the migration.
///
/// One row of each group is kept, with its values. References to its duplicates become references to it, and it gains the members of
/// their to-many relationships. If it refers to a duplicate itself, that reference is removed; a required one leads to the row itself.
/// Then the duplicates are deleted. Their delete rules apply to the links that were not moved: to-one relationships, and relationships
/// that the kept row's entity lacks.
/// History records the changed links and the deletions as saves of their own.
struct DuplicateRows {
  let connection: Connection
  /// The layout after the migration.
  let layout: StoreLayout
  /// The state of the store that the saves find.
  let state: StoreState
  let policy: ChangeSet.DuplicatePolicy

  /// Rows that are merged at a time, so that memory is bounded.
  private static let part = 10_000

  /// The table with the duplicates, and the rows that are kept for them.
  private var pairs: String { layout.qualified("_merged") }

  /// Adds the constraint after the merge.
  ///
  /// - Throws: ``MigrationError`` if a delete rule denies a deletion; ``SaveError``, ``StoreProblem``, ``PostgreSQLError``.
  func merge(_ constraint: UniqueConstraint) throws {
    // A moved link may violate another constraint.
    do { try mergeRows(constraint) } catch let error as PostgreSQLError { throw layout.phrased(error) }
  }

  private func mergeRows(_ constraint: UniqueConstraint) throws {
    let table = layout.table(of: constraint.entity)
    try connection.execute("CREATE TABLE \(pairs) AS \(duplicates(constraint, table))")
    try connection.execute("ALTER TABLE \(pairs) ADD PRIMARY KEY (k)")
    // Rows of a save may refer to rows that it writes later.
    try connection.execute("SET CONSTRAINTS ALL DEFERRED")
    var deleted: [ObjectKey] = []
    while true {
      let rows = try connection.run(
        "SELECT k, n FROM \(pairs) WHERE k > $1 ORDER BY k LIMIT \(Self.part)", [.integer(deleted.last?.key ?? .min)])
      if rows.rowCount == 0 { break }
      let part = (0..<rows.rowCount).map { rows.object($0, key: 0, entity: 1) }
      try redirectLinks(of: part, constraint.entity)
      deleted += part
    }
    if !deleted.isEmpty { try delete(deleted, constraint) }
    try connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    try connection.execute("DROP TABLE \(pairs)")
    try connection.execute(StoreDefinitions.addition(of: constraint, to: table))
    guard !deleted.isEmpty else { return }
    ServerLog.warn(
      "\(connection.address): merged \(deleted.count) \(deleted.count == 1 ? "row" : "rows") of entity \(constraint.entity.name), "
        + "which had the \(constraint.properties.joined(separator: ", ")) of another"
    )
  }

  /// → Key and entity of each duplicate, then key and entity of the row that is kept instead. `NULL` is equal to nothing.
  private func duplicates(_ constraint: UniqueConstraint, _ table: TableLayout) -> String {
    let columns = constraint.columns.map { "t.\($0.name)" }
    let number = table.number(of: "t")
    let key = "t.\(TableLayout.key)"
    let group =
      "PARTITION BY \(columns.joined(separator: ", ")) ORDER BY \(key)\(policy == .overwrite ? " DESC" : "")"
    return
      "SELECT k, n, keeper, keeper_n FROM (SELECT \(key) AS k, \(number) AS n, first_value(\(key)) OVER w AS keeper, "
      + "first_value(\(number)) OVER w AS keeper_n FROM \(table.sql) t "
      + "WHERE \(columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) WINDOW w AS (\(group))) x WHERE k <> keeper"
  }

  private func delete(_ rows: [ObjectKey], _ constraint: UniqueConstraint) throws {
    var writer = BatchWriter(connection, layout)
    do { try writer.delete(rows) } catch BatchRefusal.denied(let entity, let relationship),
      BatchRefusal.required(let entity, let relationship)
    {
      throw MigrationError(
        obstacle: MigrationObstacle(
          entity: constraint.entity.name, property: nil,
          reason: .keptDuplicates(constraint.properties, entity: entity, relationship: relationship)), rowCount: nil)
    }
    _ = try DerivedRows(connection: connection, layout: layout).take()
    var history = HistoryWriter(layout)
    writer.record(&history)
    _ = try history.record(state, author: nil, contextName: nil, over: connection)
  }

  // MARK: Links

  /// Saves the references to some duplicates, and the members of their relationships, as links of the kept rows.
  private func redirectLinks(of part: [ObjectKey], _ root: StoreEntity) throws {
    let keys = Parameter.integers(part.map(\.key))
    var links = RedirectedLinks()
    var cleanUp: [String] = []
    for owner in layout.entities.entities {
      for property in owner.properties {
        switch property {
        case .toMany(let relationship) where relationship.declaringEntityName == owner.name:
          guard let toMany = try? layout.toMany(property.name, of: owner) else { continue }
          if owner.hierarchy == root.hierarchy { try moveMembers(of: toMany, owner, keys, &links, &cleanUp) }
          try moveOwner(of: toMany, owner, root, keys, &links)
        case .toOne(let relationship)
        where relationship.declaringEntityName == owner.name && relationship.inverse == nil:
          try moveReference(of: layout.toOne(property.name, of: owner), owner, root, keys, &links)
        case .attribute, .toMany, .toOne: break
        }
      }
    }
    guard !links.isEmpty else { return }
    var save = SaveTransaction(
      try links.changes { try layout.existingEntity($0).name }, connection: connection, layout: layout,
      keys: KeyBlocks(layout),
      strategy: SaveStrategy(locksOverwritten: true, updateLocks: .before, locksUniqueValues: false))
    _ = try save.run(state)
    // No delete rule follows them.
    for sql in cleanUp { _ = try connection.run(sql, [keys]) }
  }

  /// The members of the duplicates become members of the kept rows.
  private func moveMembers(
    of toMany: ToManyLayout, _ owner: StoreEntity, _ keys: Parameter, _ links: inout RedirectedLinks,
    _ cleanUp: inout [String]
  ) throws {
    let destination = try layout.destination(of: toMany.relationship)
    let table = layout.table(of: destination)
    let isSameTable = destination.hierarchy == owner.hierarchy
    let key = TableLayout.key
    let kinds = "m.k = ANY ($1) AND \(isOf(owner, "m.n")) AND \(isOf(owner, "m.keeper_n"))"
    let source: String
    switch toMany.storage {
    case .key(let side):
      let staying = isSameTable ? " AND NOT EXISTS (SELECT 1 FROM \(pairs) x WHERE x.k = t.\(key))" : ""
      source =
        "FROM \(pairs) m JOIN \(table.sql) t ON t.\(side.column) = m.k WHERE \(kinds)\(staying) "
        + "ORDER BY m.k, \(side.order.map { "t.\($0), " } ?? "")t.\(key)"
    case .joinTable(let side):
      let member =
        isSameTable
        ? "coalesce((SELECT x.keeper FROM \(pairs) x WHERE x.k = j.\(side.other)), j.\(side.other))" : "j.\(side.other)"
      source =
        "FROM \(pairs) m JOIN \(side.table.sql) j ON j.\(side.own) = m.k JOIN \(table.sql) t ON t.\(key) = \(member) "
        + "WHERE \(kinds) ORDER BY m.k, \(side.order.map { "j.\($0), " } ?? "")t.\(key)"
      cleanUp.append("DELETE FROM \(side.table.sql) WHERE \(side.own) = ANY ($1)")
    }
    let name = toMany.relationship.description.name
    try forEach("t.\(key), \(table.number(of: "t")) \(source)", keys) { member, keeper in
      if case .key(let side) = toMany.storage, !side.isVirtual, let inverse = toMany.relationship.inverse {
        links.set(inverse, of: member, to: keeper)
        links.note(name, of: keeper)
      } else if member != keeper {
        links.add([member], to: name, of: keeper)
      }
    }
  }

  /// The kept row becomes a member of the duplicate's owner, by a relationship without inverse. It may have an owner already.
  private func moveOwner(
    of toMany: ToManyLayout, _ owner: StoreEntity, _ root: StoreEntity, _ keys: Parameter,
    _ links: inout RedirectedLinks
  ) throws {
    let destination = try layout.destination(of: toMany.relationship)
    guard case .key(let side) = toMany.storage, side.isVirtual, destination.hierarchy == root.hierarchy else { return }
    let (table, owners, key) = (layout.table(of: destination), layout.table(of: owner), TableLayout.key)
    try forEach(
      """
      o.\(key), \(owners.number(of: "o")) FROM \(pairs) m JOIN \(table.sql) t ON t.\(key) = m.k \
      JOIN \(table.sql) s ON s.\(key) = m.keeper JOIN \(owners.sql) o ON o.\(key) = t.\(side.column) \
      WHERE m.k = ANY ($1) AND \(isOf(destination, "m.keeper_n")) AND s.\(side.column) IS NULL\(staying("o", owner, root)) \
      ORDER BY m.k, o.\(key)
      """, keys
    ) { other, keeper in
      if other != keeper { links.add([keeper], to: toMany.relationship.description.name, of: other) }
    }
  }

  /// References to a duplicate, by a relationship without inverse, lead to the kept row.
  private func moveReference(
    of toOne: ToOneLayout, _ owner: StoreEntity, _ root: StoreEntity, _ keys: Parameter, _ links: inout RedirectedLinks
  ) throws {
    let destination = try layout.destination(of: toOne.relationship)
    guard destination.hierarchy == root.hierarchy else { return }
    let owners = layout.table(of: owner)
    try forEach(
      """
      o.\(TableLayout.key), \(owners.number(of: "o")) FROM \(pairs) m JOIN \(owners.sql) o ON o.\(toOne.key.name) = m.k \
      WHERE m.k = ANY ($1) AND \(isOf(destination, "m.keeper_n"))\(staying("o", owner, root)) ORDER BY m.k, o.\(TableLayout.key)
      """, keys
    ) { other, keeper in links.set(toOne.relationship.description, of: other, to: keeper) }
  }

  /// The condition for rows that are not themselves merged into others.
  private func staying(_ alias: String, _ entity: StoreEntity, _ root: StoreEntity) -> String {
    entity.hierarchy == root.hierarchy
      ? " AND NOT EXISTS (SELECT 1 FROM \(pairs) x WHERE x.k = \(alias).\(TableLayout.key))" : ""
  }

  /// The condition for the number of an entity or one of its subentities.
  private func isOf(_ entity: StoreEntity, _ number: String) -> String {
    "\(number) IN (\(entity.kindNumbers.sorted().map(String.init).joined(separator: ", ")))"
  }

  /// Runs a closure for each row of a query: an object, and the row that is kept.
  private func forEach(
    _ source: String, _ keys: Parameter, _ body: (_ object: ObjectKey, _ keeper: ObjectKey) -> Void
  ) throws {
    let rows = try connection.run("SELECT m.keeper, m.keeper_n, \(source)", [keys])
    for row in 0..<rows.rowCount {
      body(rows.object(row, key: 2, entity: 3), rows.object(row, key: 0, entity: 1))
    }
  }
}

extension QueryResult {
  fileprivate func object(_ row: Int, key: Int, entity: Int) -> ObjectKey {
    ObjectKey(entity: Int32(truncatingIfNeeded: integer(row, entity)), key: integer(row, key))
  }
}

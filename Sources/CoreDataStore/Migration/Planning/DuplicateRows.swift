import ManagedModel
import SQLite
import StoreRequests

/// Merges rows that have equal values of a new uniqueness constraint, in the transaction of the migration.
///
/// One row of each group is kept, with its values. References to its duplicates become references to it, and it gains the members of
/// their to-many relationships. If it refers to a duplicate itself, that reference is removed; a required one leads to the row itself.
/// Then the duplicates are deleted. Their delete rules apply to the links that were not moved: to-one relationships, and relationships
/// that the kept row's entity lacks.
/// History records two saves.
struct DuplicateRows {
  let connection: Connection
  /// The layout after the migration.
  let layout: StoreLayout
  let files: ExternalDataWriter
  let policy: ChangeSet.DuplicatePolicy

  /// A duplicate, and the row that is kept in its place.
  private struct MergedRow {
    let row: ObjectKey
    let keeper: ObjectKey

    /// Whether both rows are of some entities.
    func isOf(_ kinds: [Int]) -> Bool { kinds.contains(Int(row.entity)) && kinds.contains(Int(keeper.entity)) }
  }

  /// Rows that are merged at a time, so that memory is constant.
  private static let part = 500
  private static let pairs = "temp.OSD_MERGED"

  /// - Returns: the number of deleted rows.
  /// - Throws: ``MigrationError`` if a delete rule denies a deletion; `SQLiteError`, ``SaveError``.
  func merge(_ uniqueness: PendingUniqueness) throws -> Int {
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS \(Self.pairs) (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, KEEPER INTEGER, KEEPER_ENT INTEGER);
      DELETE FROM \(Self.pairs);
      INSERT INTO \(Self.pairs) \(uniqueness.duplicates(policy));
      """)
    guard let count = try connection.integer("SELECT count(*) FROM \(Self.pairs)"), count > 0 else { return 0 }
    var save = try transaction()
    var last: Int64 = 0
    while true {
      let rows = try connection.prepare(
        "SELECT Z_PK, Z_ENT, KEEPER, KEEPER_ENT FROM \(Self.pairs) WHERE Z_PK > \(last) ORDER BY Z_PK LIMIT \(Self.part)"
      )
      var part: [MergedRow] = []
      while try rows.step() {
        last = rows.integer(0)
        part.append(
          MergedRow(
            row: ObjectKey(entity: Int32(truncatingIfNeeded: rows.integer(1)), key: last),
            keeper: ObjectKey(entity: Int32(truncatingIfNeeded: rows.integer(3)), key: rows.integer(2))))
      }
      if part.isEmpty { break }
      var links = RedirectedLinks()
      // Statements that delete the join-table rows of duplicates, so that no delete rule follows them.
      var cleanUp: [String] = []
      try redirectLinks(of: part, in: uniqueness.table, &links, &cleanUp)
      _ = try save.write(try links.changes { try layout.existingEntity($0).name }, keys: [])
      for sql in cleanUp { try connection.execute(sql) }
    }
    try save.finish()
    try delete(uniqueness)
    return Int(count)
  }

  private func transaction() throws -> SaveTransaction {
    try SaveTransaction(
      ChangeSet(), connection: connection, layout: layout, historyForm: HistoryForm(connection), files: files,
      maySkipRows: Catalogue.definitions(connection).maySkipRows)
  }

  private func delete(_ uniqueness: PendingUniqueness) throws {
    var save = try transaction()
    var writer = BatchWriter(connection, layout, isRecording: save.history.isRecording, maySkipRows: save.maySkipRows)
    do {
      try writer.delete(
        layout.existingEntity(uniqueness.entity), keys: "SELECT Z_PK, Z_ENT FROM \(Self.pairs)", history: &save.history)
    } catch BatchRefusal.denied(let entity, let relationship), BatchRefusal.required(let entity, let relationship) {
      throw MigrationError(
        obstacle: MigrationObstacle(
          entity: uniqueness.entity, property: nil,
          reason: .keptDuplicates(uniqueness.constraint, entity: entity, relationship: relationship)),
        rowCount: nil)
    }
    save.batches = writer
    try save.finish()
  }

  // MARK: Links

  /// Records the references to some duplicates, and the members of their relationships, as links of the kept rows.
  private func redirectLinks(
    of part: [MergedRow], in table: Identifier, _ links: inout RedirectedLinks, _ cleanUp: inout [String]
  ) throws {
    for owner in layout.entities {
      for property in owner.properties where property.declaringEntityName == owner.name {
        switch property {
        case .toMany(let toMany):
          for pair in part where pair.isOf(owner.kindNumbers) {
            try moveMembers(of: toMany, pair, in: table, &links, &cleanUp)
          }
          guard toMany.inverse == nil, let kinds = layout.entity(named: toMany.destinationName)?.kindNumbers else {
            continue
          }
          for pair in part where pair.isOf(kinds) {
            try moveOwner(of: toMany, owner, pair, in: table, &links)
          }
        case .toOne(let toOne) where toOne.inverse == nil:
          guard let kinds = layout.entity(named: toOne.destinationName)?.kindNumbers else { continue }
          for pair in part where kinds.contains(Int(pair.row.entity)) {
            try moveReference(of: toOne, owner, pair, isFit: pair.isOf(kinds), in: table, &links)
          }
        case .attribute, .toOne: break
        }
      }
    }
  }

  /// The members of a duplicate become members of the kept row.
  private func moveMembers(
    of relationship: ToManyLayout, _ pair: MergedRow, in table: Identifier, _ links: inout RedirectedLinks,
    _ cleanUp: inout [String]
  ) throws {
    let (row, keeper, name) = (pair.row, pair.keeper, relationship.description.name)
    switch relationship.storage {
    case .key(let side):
      let members = try keys(
        "SELECT Z_ENT, Z_PK FROM \(side.table) WHERE \(side.key) = \(row.key)\(staying(side.table, table)) ORDER BY "
          + (side.orderColumn.map { "\($0), " } ?? "") + "Z_PK")
      guard !members.isEmpty else { return }
      if let inverse = relationship.inverse?.description {
        for member in members { links.set(inverse, of: member, to: keeper) }
        links.note(name, of: keeper)
      } else {
        links.add(members.filter { side.table != table || $0.key != keeper.key }, to: name, of: keeper)
      }
    case .joinTable(let side):
      let rowOfMember =
        relationship.destinationTable == table
        ? "ifnull((SELECT x.KEEPER FROM \(Self.pairs) x WHERE x.Z_PK = j.\(side.otherColumn)), j.\(side.otherColumn))"
        : "j.\(side.otherColumn)"
      let members = try keys(
        "SELECT m.Z_ENT, m.Z_PK FROM \(side.table) j JOIN \(relationship.destinationTable) m ON m.Z_PK = \(rowOfMember) "
          + "WHERE j.\(side.ownColumn) = \(row.key) ORDER BY "
          + (side.orderColumn.map { "j.\($0), " } ?? "") + "m.Z_PK"
      ).filter { relationship.destinationTable != table || $0.key != keeper.key }
      links.add(members, to: name, of: keeper)
      cleanUp.append("DELETE FROM \(side.table) WHERE \(side.ownColumn) = \(row.key)")
    }
  }

  /// The kept row becomes a member of a duplicate's owners, by a relationship without inverse.
  private func moveOwner(
    of toMany: ToManyLayout, _ owner: EntityLayout, _ pair: MergedRow, in table: Identifier,
    _ links: inout RedirectedLinks
  ) throws {
    let (row, keeper) = (pair.row, pair.keeper)
    let owners =
      switch toMany.storage {
      case .key(let side):
        // The kept row may have an owner already.
        "SELECT \(side.key) FROM \(side.table) WHERE Z_PK = \(row.key) AND \(side.key) NOT NULL AND NOT EXISTS "
          + "(SELECT 1 FROM \(side.table) k WHERE k.Z_PK = \(keeper.key) AND k.\(side.key) NOT NULL)"
      case .joinTable(let side):
        "SELECT \(side.ownColumn) FROM \(side.table) WHERE \(side.otherColumn) = \(row.key)"
      }
    for other in try keys(
      "SELECT Z_ENT, Z_PK FROM \(owner.table) WHERE Z_PK IN (\(owners))\(staying(owner.table, table)) ORDER BY Z_PK")
    where owner.table != table || other.key != keeper.key {
      links.add([keeper], to: toMany.description.name, of: other)
    }
  }

  /// References to a duplicate, by a relationship without inverse, lead to the kept row, or nowhere if that does not fit.
  private func moveReference(
    of toOne: ToOneLayout, _ owner: EntityLayout, _ pair: MergedRow, isFit: Bool, in table: Identifier,
    _ links: inout RedirectedLinks
  ) throws {
    // Without a required object the deletion is refused.
    guard isFit || toOne.description.isOptional else { return }
    let others = try keys(
      "SELECT Z_ENT, Z_PK FROM \(owner.table) WHERE \(toOne.key) = \(pair.row.key)\(staying(owner.table, table)) ORDER BY Z_PK"
    )
    for other in others { links.set(toOne.description, of: other, to: isFit ? pair.keeper : nil) }
  }

  /// The condition for rows that are not themselves merged into others.
  private func staying(_ owner: Identifier, _ table: Identifier) -> String {
    owner == table ? " AND Z_PK NOT IN (SELECT Z_PK FROM \(Self.pairs))" : ""
  }

  private func keys(_ sql: String) throws -> [ObjectKey] {
    let rows = try connection.prepare(sql)
    var keys: [ObjectKey] = []
    while try rows.step() {
      keys.append(ObjectKey(entity: Int32(truncatingIfNeeded: rows.integer(0)), key: rows.integer(1)))
    }
    return keys
  }
}

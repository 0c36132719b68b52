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
      var links = RedirectedLinks()
      // Statements that delete the join-table rows of duplicates, so that no delete rule follows them.
      var cleanUp: [String] = []
      var isEmpty = true
      while try rows.step() {
        isEmpty = false
        last = rows.integer(0)
        let row = ObjectKey(entity: Int32(truncatingIfNeeded: rows.integer(1)), key: last)
        let keeper = ObjectKey(entity: Int32(truncatingIfNeeded: rows.integer(3)), key: rows.integer(2))
        try redirect(row, to: keeper, in: uniqueness.table, &links, &cleanUp)
      }
      if isEmpty { break }
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

  /// Records the references to a duplicate, and the members of its relationships, as links of the kept row.
  private func redirect(
    _ row: ObjectKey, to keeper: ObjectKey, in table: Identifier, _ links: inout RedirectedLinks,
    _ cleanUp: inout [String]
  ) throws {
    let (entity, other) = try (layout.existingEntity(row.entity), layout.existingEntity(keeper.entity))
    for case .toMany(let relationship) in entity.properties {
      guard case .toMany(let same)? = other.property(named: relationship.description.name),
        same.declaringEntityName == relationship.declaringEntityName
      else { continue }
      let name = relationship.description.name
      switch relationship.storage {
      case .key(let side):
        let members = try keys(
          "SELECT Z_ENT, Z_PK FROM \(side.table) WHERE \(side.key) = \(row.key)\(staying(side.table, table)) ORDER BY "
            + (side.orderColumn.map { "\($0), " } ?? "") + "Z_PK")
        guard !members.isEmpty else { continue }
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
    for owner in layout.entities { try redirectOneWay(row, to: keeper, in: table, from: owner, entity, &links) }
  }

  /// Records the references to a duplicate through relationships without inverse.
  private func redirectOneWay(
    _ row: ObjectKey, to keeper: ObjectKey, in table: Identifier, from owner: EntityLayout, _ entity: EntityLayout,
    _ links: inout RedirectedLinks
  ) throws {
    func leadsHere(_ name: String) -> Bool { layout.entity(named: name)?.kindNumbers.contains(Int(row.entity)) == true }
    for property in owner.properties where property.declaringEntityName == owner.name {
      switch property {
      case .toOne(let toOne) where toOne.inverse == nil && leadsHere(toOne.destinationName):
        let rows = try keys(
          "SELECT Z_ENT, Z_PK FROM \(owner.table) WHERE \(toOne.key) = \(row.key)\(staying(owner.table, table))")
        for other in rows { links.set(toOne.description, of: other, to: keeper) }
      case .toMany(let toMany) where toMany.inverse == nil && leadsHere(toMany.destinationName):
        let sql: String
        switch toMany.storage {
        case .key(let side):
          // The kept row may have an owner already.
          sql =
            "SELECT \(side.key) FROM \(side.table) WHERE Z_PK = \(row.key) AND \(side.key) NOT NULL AND NOT EXISTS "
            + "(SELECT 1 FROM \(side.table) k WHERE k.Z_PK = \(keeper.key) AND k.\(side.key) NOT NULL)"
        case .joinTable(let side):
          sql = "SELECT \(side.ownColumn) FROM \(side.table) WHERE \(side.otherColumn) = \(row.key)"
        }
        for other in try keys(
          "SELECT Z_ENT, Z_PK FROM \(owner.table) WHERE Z_PK IN (\(sql))\(staying(owner.table, table))")
        where owner.table != table || other.key != keeper.key {
          links.add([keeper], to: toMany.description.name, of: other)
        }
      default: break
      }
    }
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

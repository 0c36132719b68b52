import ManagedModel
import SQLite

// Hierarchies that had tables of their own come into one table, for example under a new superentity. There a key is
// that of one row only, also of a deleted one in history (CD-7). Where two old tables have equal keys, the rows of the second get new keys.
// So they do where a link to no row has the key of the other table's row, which it would lead to.
extension MigrationPlanner {
  /// A temporary table: each old table that comes together with others, its last key, and what is added to its keys.
  private static let separations: Identifier = "OSD_SEPARATED_KEYS"

  /// For each old table, the old tables before it whose rows go into the same new table.
  private func meetings(_ plans: [TablePlan]) -> [(table: Identifier, others: [Identifier])] {
    var others: [Identifier: [Identifier]] = [:]
    var order: [Identifier] = []
    for plan in plans {
      var seen: [Identifier] = []
      for copy in plan.copies where !seen.contains(copy.source.table) { seen.append(copy.source.table) }
      guard seen.count > 1 else { continue }
      for table in seen {
        if others[table] == nil { order.append(table) }
        others[table, default: []] += seen.filter { $0 != table }
      }
    }
    return order.enumerated().map { place, table in
      (table, order[..<place].filter { others[table]?.contains($0) == true })
    }
  }

  /// Gives rows new keys where old tables that come together have keys in common. The old tables are whole afterwards.
  ///
  /// The new keys are greater than all that these tables have given, so that none is given twice. The rows of the first table keep their keys.
  /// Cost: the keys of these tables, and of the links to them, are compared. If keys change, the rows and all links to them are written.
  mutating func separateKeys(_ plans: [TablePlan]) {
    let meetings = self.meetings(plans)
    guard !meetings.isEmpty else { return }
    let temporary = "temp.\(Self.separations)"
    run("DROP TABLE IF EXISTS \(temporary)")
    run("CREATE TABLE \(temporary) (NAME TEXT PRIMARY KEY, PLACE INTEGER, LAST INTEGER, ADDED INTEGER DEFAULT 0)")
    for (place, meeting) in meetings.enumerated() {
      run(
        "INSERT INTO \(temporary) (NAME, PLACE, LAST) VALUES (\(Identifier.literal(meeting.table.name)), \(place), \(lastKey(of: meeting.table)))"
      )
    }
    for meeting in meetings where !meeting.others.isEmpty {
      let given = meeting.others.map { givenKeys(of: $0) }
      let used = given + meeting.others.flatMap { linkedKeys(to: $0) }
      let meets = [(givenKeys(of: meeting.table), used)] + linkedKeys(to: meeting.table).map { ($0, given) }
      let condition = meets.map { keys, taken in
        "EXISTS (SELECT 1 FROM (\(keys)) WHERE k IN (\(taken.joined(separator: " UNION ALL "))))"
      }
      run(
        """
        UPDATE \(temporary) SET ADDED = (SELECT sum(LAST) FROM \(temporary)) \
        + (SELECT ifnull(sum(s.LAST), 0) FROM \(temporary) s WHERE s.PLACE < \(Self.separations).PLACE) \
        WHERE NAME = \(Identifier.literal(meeting.table.name)) \
        AND (\(condition.joined(separator: " OR ")))
        """)
      changeKeys(of: meeting.table)
    }
    run("DROP TABLE \(temporary)")
  }

  /// Tables of CloudKit mirroring hold keys (CD-8).
  func checkMirroring(_ plans: [TablePlan]) throws {
    guard isMirrored, let meeting = meetings(plans).last(where: { !$0.others.isEmpty }),
      let entity = old.entities.first(where: { $0.table == meeting.table })
    else { return }
    throw refusalOfMirrored(entity)
  }

  private func numbers(in table: Identifier) -> String {
    SQLText.numbersTest(old.entities.filter { $0.table == table }.map(\.number))
  }

  private var hasHistory: Bool { catalogue.columns[HistoryTables.change] != nil }

  /// The keys of the rows, and of the rows that history tells of, as a query with the column `k`.
  private func givenKeys(of table: Identifier) -> String {
    let rows = "SELECT Z_PK AS k FROM \(table)"
    guard hasHistory else { return rows }
    return rows + " UNION ALL SELECT ZENTITYPK FROM \(HistoryTables.change) WHERE ZENTITY \(numbers(in: table))"
  }

  /// The keys in links to a table, each as a query with the column `k`. Numbers that no key reaches are left out, since they meet no row.
  private func linkedKeys(to table: Identifier) -> [String] {
    links(to: table).map { column, holder in
      "SELECT \(column) AS k FROM \(holder) WHERE \(column) BETWEEN 1 AND \(Int64.max >> 4)"
    }
  }

  private func lastKey(of table: Identifier) -> String {
    let keys = [givenKeys(of: table)] + linkedKeys(to: table)
    return "max(ifnull((SELECT max(k) FROM (\(keys.joined(separator: " UNION ALL ")))), 0),"
      + " ifnull((SELECT max(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_ENT \(numbers(in: table))), 0))"
  }

  /// Adds the number to the keys of the rows, to all keys that lead to them, and to those in history.
  private mutating func changeKeys(of table: Identifier) {
    let added = "(SELECT ADDED FROM temp.\(Self.separations) WHERE NAME = \(Identifier.literal(table.name)))"
    func change(_ column: Identifier, of changed: Identifier, where condition: String? = nil) -> String {
      "UPDATE \(changed) SET \(column) = \(column) + \(added) WHERE \(added) > 0"
        + (condition.map { " AND \($0)" } ?? "")
    }
    run(change("Z_PK", of: table))
    // A number below all keys would become the key of a row.
    for (column, holder) in links(to: table) { run(change(column, of: holder, where: "\(column) > 0")) }
    let own = "Z_ENT \(numbers(in: table))"
    run("UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + \(added) WHERE \(own)")
    if hasHistory { run(change("ZENTITYPK", of: HistoryTables.change, where: "ZENTITY \(numbers(in: table))")) }
  }

  /// The columns with keys of a table's rows: foreign keys, keys of relationships without inverse, and columns of join tables.
  private func links(to table: Identifier) -> [(column: Identifier, holder: Identifier)] {
    var links: [(column: Identifier, holder: Identifier)] = []
    for entity in old.entities {
      for property in entity.properties where property.declaringEntityName == entity.name {
        switch property {
        case .toOne(let relationship) where relationship.destinationTable == table:
          links.append((relationship.key, entity.table))
        case .toMany(let relationship):
          if entity.table == table, case .key(let side) = relationship.storage, side.isVirtual {
            links.append((side.key, side.table))
          }
        case .toOne, .attribute: break
        }
      }
    }
    for join in old.joinTables {
      if old.entity(named: join.master.entityName)?.table == table { links.append((join.masterColumn, join.name)) }
      if old.entity(named: join.other.entityName)?.table == table { links.append((join.otherColumn, join.name)) }
    }
    return links
  }
}

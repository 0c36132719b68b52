import ManagedModel
import PostgreSQL
import StoreRequests

// Hierarchies that had tables of their own come into one table, for example under a new superentity. There a key is that of one row only, also of
// a deleted one in history. Where two old tables have equal keys, the rows of the second get new keys. A link to no row must not meet the other
// table's rows either.
extension MigrationPlanner {
  /// For each old hierarchy, the old hierarchies before it whose rows go into the same new table.
  private var meetings: [(hierarchy: Int, others: [Int])] {
    var others: [Int: Set<Int>] = [:]
    var order: [Int] = []
    for plan in plans {
      let sources = Set(plan.copies.map(\.source.hierarchy))
      guard sources.count > 1 else { continue }
      for copy in plan.copies where !order.contains(copy.source.hierarchy) { order.append(copy.source.hierarchy) }
      for source in sources { others[source, default: []].formUnion(sources) }
    }
    return order.enumerated().map { place, hierarchy in
      (hierarchy, order[..<place].filter { others[hierarchy]?.contains($0) == true })
    }
  }

  /// Gives rows new keys where old tables that come together have keys in common. The old tables are whole afterwards.
  ///
  /// The new keys are greater than all that these tables have given, so that none is given twice. The rows of the first table keep their keys.
  /// Cost: the keys of these tables are compared. If keys change, the rows and all links to them are written.
  mutating func separateKeys() {
    let meetings = self.meetings
    guard !meetings.isEmpty else { return }
    let table = new.qualified(temporaryName())
    run(
      "CREATE TABLE \(table) (hierarchy integer PRIMARY KEY, place integer, last bigint, added bigint NOT NULL DEFAULT 0)"
    )
    for (place, meeting) in meetings.enumerated() {
      run("INSERT INTO \(table) VALUES (\(meeting.hierarchy), \(place), \(lastKey(of: meeting.hierarchy)))")
    }
    // Rows and the keys that lead to them change one after the other.
    run("SET CONSTRAINTS ALL DEFERRED")
    for meeting in meetings {
      let others = meetings.filter { $0.others.contains(meeting.hierarchy) }.map(\.hierarchy) + meeting.others
      emptyDanglingLinks(to: meeting.hierarchy, meeting: others)
    }
    for meeting in meetings where !meeting.others.isEmpty {
      let taken = meeting.others.map(givenKeys).joined(separator: " UNION ALL ")
      run(
        """
        UPDATE \(table) t SET added = (SELECT sum(s.last) FROM \(table) s) \
        + (SELECT coalesce(sum(s.last), 0) FROM \(table) s WHERE s.place < t.place) \
        WHERE t.hierarchy = \(meeting.hierarchy) \
        AND EXISTS (SELECT k FROM (\(givenKeys(of: meeting.hierarchy))) own INTERSECT SELECT k FROM (\(taken)) other)
        """)
      changeKeys(of: meeting.hierarchy, by: table)
    }
    run("SET CONSTRAINTS ALL IMMEDIATE")
    run("DROP TABLE \(table)")
  }

  /// The names of the entities whose rows an old table has.
  private func names(in hierarchy: Int) -> String { sqlLiterals(old.tables[hierarchy].entities.map(\.name)) }

  private var history: String { old.qualified(StoreDefinitions.changes) }

  /// The keys of the rows, and of the rows that history tells of, as a query with the column `k`.
  private func givenKeys(of hierarchy: Int) -> String {
    "SELECT \(TableLayout.key) AS k FROM \(old.tables[hierarchy].sql) "
      + "UNION ALL SELECT key FROM \(history) WHERE entity IN (\(names(in: hierarchy)))"
  }

  /// The last key that was given, or to which a link leads: new keys come after those of links to no row, which stay.
  private func lastKey(of hierarchy: Int) -> String {
    let linked = links(to: hierarchy).map { link in
      "SELECT \(link.column) FROM \(link.table) WHERE \(link.column) < \(Int64.max >> 4)"
    }
    let keys = ([givenKeys(of: hierarchy)] + linked).joined(separator: " UNION ALL ")
    return "greatest((SELECT max(k) FROM (\(keys)) g), "
      + "pg_sequence_last_value(\(old.tables[hierarchy].keySequence)), 0)"
  }

  /// Adds the number of the table `added` to every key of a hierarchy: those of its rows, of links to them, of history, and the last
  /// one of its sequence.
  private mutating func changeKeys(of hierarchy: Int, by added: String) {
    func change(_ column: Identifier, of table: String, where condition: String = "true") -> String {
      "UPDATE \(table) t SET \(column) = t.\(column) + s.added FROM \(added) s "
        + "WHERE s.hierarchy = \(hierarchy) AND s.added > 0 AND \(condition)"
    }
    run(change(TableLayout.key, of: old.tables[hierarchy].sql))
    // A link to no row keeps its key: the server would find that the new one has no row.
    let keys = "SELECT \(TableLayout.key) FROM \(old.tables[hierarchy].sql)"
    for link in links(to: hierarchy) {
      run(change(link.column, of: link.table, where: "t.\(link.column) + s.added IN (\(keys))"))
    }
    // The sequence of the new table begins after those of the old ones.
    run(
      "SELECT setval(\(old.tables[hierarchy].keySequence), s.last + s.added) FROM \(added) s "
        + "WHERE s.hierarchy = \(hierarchy) AND s.added > 0")
    run(change("key", of: history, where: "t.entity IN (\(names(in: hierarchy)))"))
  }

  /// Empties the links to no row of a hierarchy that would lead to a row of another one. There are some only if constraints were not
  /// checked. A link that is required is in the way of the migration.
  private mutating func emptyDanglingLinks(to hierarchy: Int, meeting others: [Int]) {
    let taken = others.map { "SELECT \(TableLayout.key) FROM \(old.tables[$0].sql)" }.joined(separator: " UNION ALL ")
    for link in links(to: hierarchy) {
      // For NOT IN, the server would read all keys again for each link of a large table.
      let row = "SELECT FROM \(old.tables[hierarchy].sql) r WHERE r.\(TableLayout.key) = t.\(link.column)"
      let isWrong = "NOT EXISTS (\(row)) AND t.\(link.column) IN (\(taken))"
      switch link.kind {
      case .key: run("UPDATE \(link.table) t SET \(link.column) = NULL WHERE \(isWrong)")
      case .pair: run("DELETE FROM \(link.table) t WHERE \(isWrong)")
      case .required(let entity, let property):
        check(
          "SELECT count(*) FROM \(link.table) t WHERE \(isWrong)", entity, property, .missingObject(of: .formerProperty)
        )
      }
    }
  }

  /// A column with keys of a table's rows.
  private struct Link {
    let column: Identifier
    let table: String
    let kind: Kind

    enum Kind {
      case key, pair
      case required(entity: String, property: String)
    }
  }

  /// The columns with keys of a table's rows: of to-one relationships, of relationships without inverse, and of join tables.
  private func links(to hierarchy: Int) -> [Link] {
    var links: [Link] = []
    for entity in old.entities.entities {
      for case .toOne(let relationship) in entity.properties
      where relationship.declaringEntityName == entity.name
        && old.entities.entity(named: relationship.destinationName)?.hierarchy == hierarchy
      {
        guard let key = (try? old.toOne(relationship.description.name, of: entity))?.key else { continue }
        let name = relationship.description.name
        links.append(
          Link(
            column: key.name, table: old.table(of: entity).sql,
            kind: key.requiredBy.isEmpty ? .key : .required(entity: entity.name, property: name)))
      }
    }
    for (owner, relationship, side) in virtualSides.old where owner.hierarchy == hierarchy {
      guard let member = old.entities.entity(named: relationship.destinationName) else { continue }
      links.append(Link(column: side.column, table: old.table(of: member).sql, kind: .key))
    }
    for join in old.joinTables {
      if join.ownHierarchy == hierarchy { links.append(Link(column: join.own, table: join.sql, kind: .pair)) }
      if join.otherHierarchy == hierarchy { links.append(Link(column: join.other, table: join.sql, kind: .pair)) }
    }
    return links
  }
}

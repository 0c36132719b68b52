import CoreDataStore
import ManagedModel
import SQLite

extension RepairPlanner {
  /// CD-3.1, CD-3.2: keys that lead to nothing, which are read as `nil`, and the columns beside a key.
  mutating func addKeys(of entity: EntityLayout) {
    for property in entity.properties where property.declaringEntityName == entity.name {
      let subject = "\(entity.name).\(property.name)"
      switch property {
      case .toOne(let relationship):
        addKey(
          relationship.key, in: entity.table, leadingTo: relationship.destinationTable,
          entityColumn: relationship.entityColumn, orderColumn: relationship.orderColumn, subject)
      case .toMany(let relationship):
        guard case .key(let side) = relationship.storage, side.isVirtual else { continue }
        addKey(
          side.key, in: side.table, leadingTo: entity.table, entityColumn: nil, orderColumn: side.orderColumn, subject)
      case .attribute: break
      }
    }
  }

  private mutating func addKey(
    _ key: Identifier, in table: Identifier, leadingTo goal: Identifier, entityColumn: Identifier?,
    orderColumn: Identifier?, _ subject: String
  ) {
    let others = [entityColumn, orderColumn].compactMap { $0 }.filter { has(table, $0) }
    guard has(table, "Z_PK", key), has(goal, "Z_PK", "Z_ENT") else { return }
    let cleared = ([key] + others).map { "\($0) = NULL" }.joined(separator: ", ")
    add(
      .keys, subject, "keys that lead to no object are set to NULL",
      """
      UPDATE \(table) SET \(cleared) WHERE \(key) IS NOT NULL AND (typeof(\(key)) <> 'integer' \
      OR NOT EXISTS (SELECT 1 FROM \(goal) b WHERE b.Z_PK = \(table).\(key)))
      """)
    if let entityColumn, has(table, entityColumn) {
      add(
        .entityColumnValues, subject, "\(entityColumn.name) is set to the entity of the object",
        Self.entityUpdate(entityColumn, of: key, in: table, goal))
    }
    if let orderColumn, has(table, orderColumn) {
      addOrder(.orderKeys, orderColumn, owner: key, member: "Z_PK", row: "Z_PK", in: table, subject)
    }
  }

  private static func entityUpdate(
    _ column: Identifier, of key: Identifier, in table: Identifier, _ goal: Identifier
  ) -> String {
    let value = "(SELECT b.Z_ENT FROM \(goal) b WHERE b.Z_PK = \(table).\(key))"
    return "UPDATE \(table) SET \(column) = \(value) WHERE \(column) IS NOT \(value)"
  }

  /// CD-3.1: the missing key at the other end of a one-to-one relationship. A key there that leads elsewhere stays.
  mutating func addLinksBack(of entity: EntityLayout) {
    for case .toOne(let relationship) in entity.properties where relationship.declaringEntityName == entity.name {
      let (goal, key) = (relationship.destinationTable, relationship.key)
      guard let back = relationship.inverseKey, let inverse = relationship.inverse, has(goal, "Z_PK", "Z_ENT", back),
        has(entity.table, "Z_PK", key), let destination = layout.entity(named: relationship.destinationName)
      else { continue }
      let subject = "\(entity.name).\(relationship.description.name)"
      let object = "(SELECT min(a.Z_PK) FROM \(entity.table) a WHERE a.\(key) = \(goal).Z_PK)"
      add(
        .oneToOne, subject, "the key at the other end is set",
        // A row of another entity has no such key.
        "UPDATE \(goal) SET \(back) = \(object) WHERE \(back) IS NULL AND \(object) IS NOT NULL "
          + "AND Z_ENT IN \(StoreChecker.list(destination.kindNumbers))")
      if case .toOne(let other)? = layout.entity(named: inverse.entityName)?.property(named: inverse.description.name),
        let column = other.entityColumn, has(goal, column)
      {
        add(
          .oneToOne, subject, "\(column.name) is set to the entity of the object",
          Self.entityUpdate(column, of: back, in: goal, entity.table))
      }
    }
  }

  /// CD-3.3: pairs with nothing, and the other half of reflexive pairs.
  mutating func addPairs(of table: JoinTableLayout) {
    let (name, columns) = (table.name, [table.masterColumn, table.otherColumn])
    guard has(name, columns) else { return }
    let tests = zip(columns, [table.master, table.other]).compactMap { column, side -> String? in
      guard let goal = layout.entity(named: side.entityName), has(goal.table, "Z_PK", "Z_ENT") else { return nil }
      return """
        typeof(\(column)) = 'integer' AND EXISTS (SELECT 1 FROM \(goal.table) b \
        WHERE b.Z_PK = \(name).\(column) AND (b.\(StoreChecker.isForeign(to: goal, layout))) IS NOT TRUE)
        """
    }
    guard tests.count == 2 else { return }
    add(
      .pairs, name.name, "pairs that lead to no object are deleted",
      "DELETE FROM \(name) WHERE NOT (\(tests.joined(separator: " AND ")))")
    if table.isReflexive {
      let (own, other) = (table.masterColumn, table.otherColumn)
      add(
        .pairs, name.name, "pairs are inserted the other way round",
        "INSERT OR IGNORE INTO \(name) (\(own), \(other)) SELECT \(other), \(own) FROM \(name)")
    }
    for (order, owner, member) in [
      (table.masterOrderColumn, table.otherColumn, table.masterColumn),
      (table.otherOrderColumn, table.masterColumn, table.otherColumn),
    ] {
      guard let order, has(name, order) else { continue }
      addOrder(.pairOrder, order, owner: owner, member: member, row: "rowid", in: name, name.name)
    }
  }

  /// CD-3.4: numbers the objects of an owner anew if two have the same number, or one has none. Keeps the order in which they are read.
  private mutating func addOrder(
    _ rule: CheckRule, _ order: Identifier, owner: Identifier, member: Identifier, row: String, in table: Identifier,
    _ subject: String
  ) {
    add(rule, subject, "\(order.name) is numbered anew where it is not distinct") { connection in
      try connection.execute("CREATE TEMP TABLE OSD_PLACES (ROW INTEGER PRIMARY KEY, PLACE INTEGER)")
      try connection.execute(
        """
        INSERT INTO OSD_PLACES SELECT \(row), 1024 + 1024 * row_number() OVER \
        (PARTITION BY \(owner) ORDER BY \(order), \(member)) FROM \(table) WHERE \(owner) IN \
        (SELECT \(owner) FROM \(table) WHERE typeof(\(order)) <> 'integer' \
        UNION SELECT \(owner) FROM \(table) GROUP BY \(owner), \(order) HAVING count(*) > 1)
        """)
      try connection.execute(
        """
        UPDATE \(table) SET \(order) = (SELECT PLACE FROM OSD_PLACES WHERE ROW = \(table).\(row)) \
        WHERE \(row) IN (SELECT ROW FROM OSD_PLACES)
        """)
      var count = connection.changes
      try connection.execute("DROP TABLE temp.OSD_PLACES")
      try connection.execute("UPDATE \(table) SET \(order) = NULL WHERE \(owner) IS NULL AND \(order) IS NOT NULL")
      count += connection.changes
      return count
    }
  }

  // MARK: Values

  /// CD-5, CD-2: Booleans, and values that no entity of their row reads.
  mutating func addValues(of entity: EntityLayout) {
    let isOwn = "Z_ENT IN \(StoreChecker.list(entity.kindNumbers))"
    let isForeign = StoreChecker.isForeign(to: entity, layout)
    for property in entity.properties where property.declaringEntityName == entity.name {
      let subject = "\(entity.name).\(property.name)"
      var columns: [Identifier] = []
      switch property {
      case .attribute(let attribute):
        columns = attribute.columns.map(\.name)
        for column in attribute.columns where column.attribute.type == .boolean && has(entity.table, column.name) {
          add(
            .booleans, subject, "numbers other than 0 and 1 are set to 1",
            """
            UPDATE \(entity.table) SET \(column.name) = 1 WHERE \(isOwn) \
            AND typeof(\(column.name)) IN ('integer', 'real') AND \(column.name) NOT IN (0, 1)
            """)
        }
      case .toOne(let relationship): columns = [relationship.key]
      case .toMany: break
      }
      guard entity.superentityName != nil else { continue }
      for column in columns where has(entity.table, column) {
        add(
          .foreignValues, subject, "values in rows of other entities are set to NULL",
          "UPDATE \(entity.table) SET \(column) = NULL WHERE \(isForeign) AND \(column) IS NOT NULL")
      }
    }
  }
}

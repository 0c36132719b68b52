import ManagedModel
import SQLite

extension StoreChecker {
  /// CD-6: every row is of a concrete entity of the table, and has a version.
  mutating func checkRows(of table: TableLayout) throws {
    let concrete = store.layout.entities.filter { $0.rootNumber == table.rootNumber && !$0.isAbstract }.map(\.number)
    try expectNone(
      "CD-6", table.name.name, "Z_ENT is no concrete entity of the table", from: "\(table.name)",
      where: "Z_ENT IS NULL OR Z_ENT NOT IN \(StoreChecker.list(concrete))")
    try expectNone(
      "CD-6", table.name.name, "Z_OPT is less than 1", from: "\(table.name)",
      where: "typeof(Z_OPT) <> 'integer' OR Z_OPT < 1")
  }

  /// CD-3, CD-4, CD-5: values, keys and uniqueness of what an entity declares itself.
  mutating func checkProperties(of entity: EntityLayout) throws {
    for property in entity.properties where property.declaringEntityName == entity.name {
      switch property {
      case .attribute(let attribute):
        for column in attribute.columns { try checkValues(of: column, entity) }
      case .toOne(let relationship):
        let keys = KeyColumns(
          table: entity.table, key: relationship.key, entityColumn: relationship.entityColumn,
          orderColumn: relationship.orderColumn)
        try checkKey(keys, leadsTo: relationship.destinationName, "\(entity.name).\(property.name)")
      case .toMany(let relationship):
        guard case .key(let side) = relationship.storage, side.isVirtual else { continue }
        let keys = KeyColumns(table: side.table, key: side.key, entityColumn: nil, orderColumn: side.orderColumn)
        try checkKey(keys, leadsTo: entity.name, "\(entity.name).\(property.name)")
      }
    }
    for constraint in entity.description.uniquenessConstraints {
      let columns = constraint.compactMap(entity.column(ofPath:))
      guard !columns.isEmpty, columns.count == constraint.count else { continue }
      try expectDistinct("CD-4", "\(entity.name) (\(constraint.joined(separator: ", ")))", columns, in: entity.table)
    }
  }

  private mutating func checkValues(of column: AttributeColumn, _ entity: EntityLayout) throws {
    let name = column.name
    let bad: String
    switch (column.column.type, column.attribute.type) {
    case (_, .boolean): bad = "typeof(\(name)) <> 'integer' OR \(name) NOT IN (0, 1)"
    case (.integer, _): bad = "typeof(\(name)) <> 'integer'"
    case (.float, _): bad = "typeof(\(name)) <> 'real'"
    case (.timestamp, _): bad = "typeof(\(name)) NOT IN ('real', 'integer')"
    case (.decimal, _): bad = "typeof(\(name)) NOT IN ('real', 'integer') AND \(name) IS NOT 'NaN'"
    case (.varchar, _), (.uri, _): bad = "typeof(\(name)) <> 'text'"
    case (.uuid, _): bad = "typeof(\(name)) <> 'blob' OR length(\(name)) <> 16"
    case (.binary, _) where column.attribute.allowsExternalBinaryDataStorage:
      bad = """
        typeof(\(name)) <> 'blob' OR NOT (substr(\(name), 1, 1) = x'01' OR (substr(\(name), 1, 1) = x'02' \
        AND length(\(name)) = 38 AND substr(\(name), 38, 1) = x'00'))
        """
    default: bad = "typeof(\(name)) <> 'blob'"
    }
    try expectNone(
      "CD-5", "\(entity.name).\(column.path.joined(separator: "."))", "a value of another kind",
      from: "\(entity.table)",
      where: "\(name) IS NOT NULL AND Z_ENT IN \(StoreChecker.list(entity.kindNumbers)) AND (\(bad))")
  }

  private struct KeyColumns {
    let table: Identifier
    let key: Identifier
    let entityColumn: Identifier?
    let orderColumn: Identifier?
  }

  /// CD-3.1, CD-3.4: the row that a key leads to is of the right entity; entity and order columns go with the key.
  private mutating func checkKey(_ keys: KeyColumns, leadsTo destination: String, _ subject: String) throws {
    guard let goal = store.layout.entity(named: destination) else { return }
    let key = keys.key
    let source = "\(keys.table) a LEFT JOIN \(goal.table) b ON a.\(key) = b.Z_PK"
    try expectNone(
      "CD-3.1", subject, "leads to a row that is no \(destination)", from: source,
      where: "a.\(key) IS NOT NULL AND b.Z_ENT NOT IN \(StoreChecker.list(goal.kindNumbers))", key: "a.Z_PK")
    if let column = keys.entityColumn {
      try expectNone(
        "CD-3.1", subject, "\(column) is not the entity of the row", from: source,
        where: """
          (a.\(key) IS NULL) <> (a.\(column) IS NULL) OR (b.Z_PK IS NOT NULL AND a.\(column) IS NOT b.Z_ENT)
          """, key: "a.Z_PK")
    }
    if let column = keys.orderColumn {
      try expectNone(
        "CD-3.4", subject, "only one of \(key) and \(column) is NULL", from: "\(keys.table)",
        where: "(\(key) IS NULL) <> (\(column) IS NULL)")
      try expectDistinct("CD-3.4", "\(subject) in order", [key, column], in: keys.table)
    }
  }

  /// CD-3.3, CD-3.4: both columns of a pair lead to rows; order keys are there and distinct.
  mutating func checkPairs(of table: JoinTableLayout) throws {
    for (column, side) in [(table.masterColumn, table.master), (table.otherColumn, table.other)] {
      guard let goal = store.layout.entity(named: side.entityName) else { continue }
      // After a delete the partner's row of a reflexive pair stays behind.
      let dangling = table.isReflexive ? "" : " OR b.Z_PK IS NULL"
      try expectNone(
        "CD-3.3", table.name.name, "\(column) leads to no \(goal.name)",
        from: "\(table.name) a LEFT JOIN \(goal.table) b ON a.\(column) = b.Z_PK",
        where: "a.\(column) IS NULL OR b.Z_ENT NOT IN \(StoreChecker.list(goal.kindNumbers))\(dangling)", key: "a.rowid"
      )
    }
    if table.isReflexive, let goal = store.layout.entity(named: table.master.entityName) {
      let (own, other) = (table.masterColumn, table.otherColumn)
      try expectNone(
        "CD-3.3", table.name.name, "a pair in one direction only",
        from: "\(table.name) a JOIN \(goal.table) b ON a.\(other) = b.Z_PK",
        where: "(a.\(other), a.\(own)) NOT IN (SELECT \(own), \(other) FROM \(table.name))", key: "a.rowid")
    }
    for (order, owner) in [
      (table.masterOrderColumn, table.otherColumn), (table.otherOrderColumn, table.masterColumn),
    ] {
      guard let order else { continue }
      try expectNone(
        "CD-3.4", table.name.name, "\(order) is NULL", from: "\(table.name)", where: "\(order) IS NULL", key: "rowid")
      try expectDistinct("CD-3.4", table.name.name, [owner, order], in: table.name)
    }
  }

  /// No two rows with equal values, none of them NULL, in these columns.
  private mutating func expectDistinct(
    _ fact: String, _ subject: String, _ columns: [Identifier], in table: Identifier
  ) throws {
    let names = columns.map(\.description)
    try expectNone(
      fact, subject, "values that occur twice",
      from: """
        (SELECT min(rowid) AS first, count(*) AS n FROM \(table) \
        WHERE \(names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) GROUP BY \(names.joined(separator: ", ")))
        """, where: "n > 1", key: "first")
  }
}

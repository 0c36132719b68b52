import CoreDataStore
import ManagedModel
import SQLite

extension StoreChecker {
  /// CD-3.1, CD-3.2, CD-3.4: the keys of an entity's own relationships.
  mutating func checkKeys(of entity: EntityLayout, _ layout: StoreLayout) throws {
    for property in entity.properties where property.declaringEntityName == entity.name {
      let subject = "\(entity.name).\(property.name)"
      switch property {
      case .toOne(let relationship):
        guard let goal = layout.entity(named: relationship.destinationName) else { continue }
        let keys = KeyColumns(
          table: entity.table, key: relationship.key, entityColumn: relationship.entityColumn,
          orderColumn: relationship.orderColumn, back: relationship.inverseKey)
        try checkKey(keys, leadsTo: goal, subject)
      case .toMany(let relationship):
        guard case .key(let side) = relationship.storage, side.isVirtual else { continue }
        let keys = KeyColumns(
          table: side.table, key: side.key, entityColumn: nil, orderColumn: side.orderColumn, back: nil)
        try checkKey(keys, leadsTo: entity, subject)
      case .attribute: break
      }
    }
  }

  private struct KeyColumns {
    let table: Identifier
    let key: Identifier
    let entityColumn: Identifier?
    let orderColumn: Identifier?
    /// The key at the other end of a one-to-one relationship.
    let back: Identifier?
  }

  private mutating func checkKey(_ keys: KeyColumns, leadsTo goal: EntityLayout, _ subject: String) throws {
    let key = keys.key
    guard store.has(keys.table, "Z_PK", "Z_ENT", key) else { return }
    if store.has(goal.table, "Z_PK", "Z_ENT") {
      let isSet = "a.\(key) IS NOT NULL"
      var rules = [
        RowRule(
          rule: .keys, subject: subject, problem: "is no integer", population: isSet,
          violation: "typeof(a.\(key)) <> 'integer'", repair: "Set the key to NULL: it is read as nil."),
        RowRule(
          rule: .keys, subject: subject, problem: "leads to an object that is no \(goal.name)", population: isSet,
          violation: "b.Z_ENT NOT IN \(StoreChecker.list(goal.kindNumbers))"),
        RowRule(
          rule: .keys, severity: .warning, subject: subject, problem: "leads to no object", population: isSet,
          violation: "b.Z_PK IS NULL", repair: "Set the key to NULL: it is read as nil."),
      ]
      if let column = keys.entityColumn, store.has(keys.table, column) {
        rules.append(
          RowRule(
            rule: .entityColumnValues, subject: subject, problem: "\(column.name) is not the entity of the object",
            violation: """
              (a.\(key) IS NULL) <> (a.\(column) IS NULL) OR (b.Z_PK IS NOT NULL AND a.\(column) IS NOT b.Z_ENT) \
              OR typeof(a.\(column)) NOT IN ('integer', 'null')
              """))
      }
      if let back = keys.back, store.has(goal.table, back) {
        let population = "\(isSet) AND b.Z_ENT IN \(StoreChecker.list(goal.kindNumbers))"
        rules += [
          RowRule(
            rule: .oneToOne, severity: .warning, subject: subject, problem: "the object does not lead back",
            population: population, violation: "b.\(back) IS NULL",
            repair: "Set the key at the other end: either is read."),
          RowRule(
            rule: .oneToOne, severity: .warning, subject: subject, problem: "the object leads to another one",
            population: "\(population) AND b.\(back) IS NOT NULL", violation: "b.\(back) IS NOT a.Z_PK",
            repair: "Decide which two objects belong together: set both keys of these, and the others to NULL.",
            byHand: true),
        ]
      }
      try tally(rules, from: "\(keys.table) a LEFT JOIN \(goal.table) b ON a.\(key) = b.Z_PK", key: "a.Z_PK")
    }
    if let column = keys.orderColumn, store.has(keys.table, column) {
      try tally(
        [
          RowRule(
            rule: .orderKeys, subject: subject, problem: "only one of \(key.name) and \(column.name) is NULL",
            violation: "(\(key) IS NULL) <> (\(column) IS NULL)"),
          RowRule(
            rule: .orderKeys, subject: subject, problem: "\(column.name) is no integer",
            population: "\(column) IS NOT NULL", violation: "typeof(\(column)) <> 'integer'"),
        ], from: "\(keys.table)")
      try expectDistinct(.orderKeys, "\(subject) (\(key.name), \(column.name))", [key, column], in: keys.table)
    }
  }

  /// CD-3.3, CD-3.4: both columns of a pair refer to rows; order keys exist and are distinct.
  mutating func checkPairs(of table: JoinTableLayout, _ layout: StoreLayout) throws {
    let subject = table.name.name
    guard store.has(table.name, table.masterColumn, table.otherColumn) else { return }
    for (column, side) in [(table.masterColumn, table.master), (table.otherColumn, table.other)] {
      guard let goal = layout.entity(named: side.entityName), store.has(goal.table, "Z_PK", "Z_ENT") else { continue }
      // After a delete, Core Data leaves the mirrored row of a reflexive pair behind.
      let isPartner = table.isReflexive && column == table.otherColumn
      var rules = [
        RowRule(
          rule: .pairs, subject: subject, problem: "\(column.name) leads to an object that is no \(goal.name)",
          violation: "typeof(a.\(column)) <> 'integer' OR b.\(StoreChecker.isForeign(to: goal, layout))",
          repair: "Delete the pair."),
        RowRule(
          rule: .pairs, subject: subject, problem: "\(column.name) leads to a row of no entity",
          population: "b.Z_PK IS NOT NULL",
          violation: """
            b.Z_ENT IS NULL OR (b.Z_ENT NOT IN \(StoreChecker.list(goal.kindNumbers)) \
            AND NOT (b.\(StoreChecker.isForeign(to: goal, layout))))
            """,
          repair: "Set the row's Z_ENT to its entity.", byHand: true),
        RowRule(
          rule: .pairs, severity: isPartner ? .warning : .error, subject: subject,
          problem: isPartner
            ? "\(column.name) leads to no object, as it stays behind after a delete"
            : "\(column.name) leads to no object",
          population: "a.\(column) IS NOT NULL", violation: "b.Z_PK IS NULL", repair: "Delete the pair."),
      ]
      if isPartner {
        let (own, other) = (table.masterColumn, table.otherColumn)
        rules.append(
          RowRule(
            rule: .pairs, subject: subject, problem: "a pair in one direction only", population: "b.Z_PK IS NOT NULL",
            violation: "(a.\(other), a.\(own)) NOT IN (SELECT \(own), \(other) FROM \(table.name))",
            repair: "Insert the pair the other way round too."))
      }
      try tally(
        rules, from: "\(table.name) a LEFT JOIN \(goal.table) b ON a.\(column) = b.Z_PK", key: "a.rowid")
    }
    for (order, owner) in [
      (table.masterOrderColumn, table.otherColumn), (table.otherOrderColumn, table.masterColumn),
    ] {
      guard let order, store.has(table.name, order) else { continue }
      try tally(
        [
          RowRule(
            rule: .pairOrder, subject: subject, problem: "\(order.name) is no integer",
            violation: "typeof(\(order)) <> 'integer'")
        ], from: "\(table.name)", key: "rowid")
      try expectDistinct(.pairOrder, "\(subject) (\(owner.name), \(order.name))", [owner, order], in: table.name)
    }
  }
}

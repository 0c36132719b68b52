import ManagedModel
import PostgreSQL
import StoreRequests

/// The parts of an old table's definition that the new definition keeps.
extension MigrationPlanner {
  /// The old foreign key of a column that stays one; `nil` if the column has none, or has another one.
  ///
  /// A store of an earlier version has no `NOT NULL`, and may have a foreign key that clears required keys. It keeps both, or neither.
  private func keptReference(_ column: ColumnLayout, _ plan: TablePlan) -> ColumnLayout.Reference? {
    guard let new = column.reference, let old = plan.kept[column.name]?.reference, old.action == new.action,
      keepsRequirement(column, plan),
      plans[new.hierarchy].base === self.old.tables[old.hierarchy], !plans[new.hierarchy].hasLeftRows
    else { return nil }
    return old
  }

  private func keptColumns(_ columns: [Identifier], _ plan: TablePlan) -> [Identifier]? {
    let kept = columns.compactMap { plan.kept[$0]?.name }
    return kept.count == columns.count ? kept : nil
  }

  /// The old constraint that is kept; `nil` if a value changes, because the new values may be equal and are counted
  /// first.
  func keptUnique(_ constraint: UniqueConstraint, _ plan: TablePlan) -> UniqueConstraint? {
    let names = constraint.columns.map(\.name)
    guard names.allSatisfy({ keepsValues(of: $0, plan) }), let columns = keptColumns(names, plan) else { return nil }
    return plan.base?.uniqueConstraints.first { $0.columns.map(\.name) == columns }
  }

  private func keptIndex(_ columns: [Identifier], _ plan: TablePlan) -> Identifier? {
    guard let base = plan.base, let kept = keptColumns(columns, plan) else { return nil }
    let hasSameOrder = zip(kept, columns).allSatisfy { IndexTerm($0, of: base) == IndexTerm($1, of: plan.table) }
    return hasSameOrder ? base.indexes.first { $0.columns == kept }?.name : nil
  }

  /// Whether a column's requirement stays as it is. It does not if rows may lack a value while the script runs.
  func keepsRequirement(_ column: ColumnLayout, _ plan: TablePlan) -> Bool {
    guard let kept = plan.former(column.name), let base = plan.base else { return false }
    let requirement = plan.table.requirement(of: column)
    guard base.requirement(of: kept) == requirement else { return false }
    if requirement == .none { return true }
    guard keepsValues(of: column.name, plan) || plan.converted[column.name] != nil else { return false }
    guard case .kinds = requirement else { return true }
    return kept.name == column.name && base.name == plan.table.name && plan.kind == TableLayout.kind && base.hasKinds
  }

  private func keepsKindCheck(_ plan: TablePlan) -> Bool {
    guard let base = plan.base, base.hasKinds, plan.kind == TableLayout.kind else { return false }
    return base.kindCheck == plan.table.kindCheck
  }

  // MARK: Before

  /// Drops the foreign keys, unique constraints and checks that changed rows could violate; actions of foreign keys would
  /// also delete rows. Drops indexes whose names are needed.
  mutating func dropDefinitions() {
    var references: [String: Set<Identifier>] = [:]
    for plan in plans {
      guard let base = plan.base else { continue }
      references[base.sql] = Set(plan.table.columns.compactMap { keptReference($0, plan)?.constraint })
      let unique = Set(plan.table.uniqueConstraints.compactMap { keptUnique($0, plan)?.name })
      for constraint in base.uniqueConstraints where !unique.contains(constraint.name) {
        run("ALTER TABLE \(base.sql) DROP CONSTRAINT IF EXISTS \(constraint.name)")
      }
      let indexes = Set(plan.table.indexes.compactMap { keptIndex($0.columns, plan) })
      for index in base.indexes where !indexes.contains(index.name) {
        run("DROP INDEX IF EXISTS \(old.qualified(index.name))")
      }
      if base.hasKinds, !keepsKindCheck(plan) {
        run("ALTER TABLE \(base.sql) DROP CONSTRAINT IF EXISTS \(base.checkName(of: TableLayout.kind))")
      }
      for column in plan.table.columns where !keepsRequirement(column, plan) {
        guard let kept = plan.former(column.name) else { continue }
        drop(base.requirement(of: kept), of: kept.name, base)
      }
      // Columns that go have no values of new rows.
      let kept = plan.formerColumns
      for column in base.columns where !kept.contains(column.name) {
        if case .kinds = base.requirement(of: column) { drop(base.requirement(of: column), of: column.name, base) }
      }
    }
    for table in old.tables {
      for column in table.columns {
        guard let reference = column.reference, references[table.sql]?.contains(reference.constraint) != true else {
          continue
        }
        run("ALTER TABLE \(table.sql) DROP CONSTRAINT IF EXISTS \(reference.constraint)")
      }
    }
  }

  private mutating func drop(_ requirement: ColumnRequirement, of column: Identifier, _ table: TableLayout) {
    switch requirement {
    case .none: break
    case .everyRow: run("ALTER TABLE \(table.sql) ALTER COLUMN \(column) DROP NOT NULL")
    case .kinds: run("ALTER TABLE \(table.sql) DROP CONSTRAINT IF EXISTS \(table.checkName(of: column))")
    }
  }

  // MARK: After

  /// Looks for rows that the new model does not allow, in all tables as they will be.
  mutating func checkNewRows() {
    for entity in new.entities.entities {
      for case .toOne(let relationship) in entity.properties
      where relationship.declaringEntityName == entity.name && !relationship.description.isOptional {
        guard let key = (try? new.toOne(relationship.description.name, of: entity))?.key else { continue }
        let plan = plans[entity.hierarchy]
        let column = "t.\(plan.present(key.name))"
        let isMissing: String
        if let reference = key.reference, !hadReference(key, plan) {
          isMissing =
            "NOT EXISTS (SELECT 1 FROM \(plans[reference.hierarchy].present) d WHERE d.\(TableLayout.key) = \(column))"
        } else if !keepsRequirement(key, plan) {
          isMissing = "\(column) IS NULL"
        } else {
          continue
        }
        checkLate(
          "SELECT count(*) FROM \(plan.present) t WHERE \(isMissing) AND \(kindTest(entity, alias: "t"))",
          entity.name, relationship.description.name,
          .missingObject(
            of: relationships.isFormer(relationship.description.name, of: entity.name) ? .formerProperty : .newProperty)
        )
      }
    }
    for plan in plans {
      for constraint in plan.table.uniqueConstraints
      where keptUnique(constraint, plan) == nil && uniqueIndexes[constraint.name] == nil {
        if mergesDuplicates {
          merges.append(constraint)
        } else {
          steps.append(duplicates(of: constraint, in: plan.present, constraint.columns.map { plan.present($0.name) }))
        }
      }
    }
  }

  private mutating func checkLate(
    _ sql: String, _ entity: String, _ property: String?, _ reason: MigrationObstacle.Reason
  ) {
    steps.append(.check(sql, MigrationObstacle(entity: entity, property: property, reason: reason)))
  }

  /// Whether the keys of all old rows lead to rows, by their foreign key. The former delete rule may have allowed others.
  private func hadReference(_ column: ColumnLayout, _ plan: TablePlan) -> Bool {
    plan.copies.allSatisfy { copy in
      guard let former = copy.values[column.name]?.column else { return true }
      return old.table(of: copy.source).columns.first { $0.name == former }?.reference != nil
    }
  }

  /// Drops the columns, join tables and tables whose values are in no new table.
  mutating func dropOldTables() {
    for plan in plans {
      guard let base = plan.base else { continue }
      let kept = plan.formerColumns
      var left = base.columns.map(\.name).filter { !kept.contains($0) }
      if base.hasKinds, plan.kind != TableLayout.kind { left.append(TableLayout.kind) }
      if left.isEmpty { continue }
      run("ALTER TABLE \(plan.present) \(left.map { "DROP COLUMN \($0)" }.joined(separator: ", "))")
    }
    let joins = self.joins.compactMap(\.base)
    for table in old.joinTables where !joins.contains(where: { $0 === table }) { run("DROP TABLE \(table.sql)") }
    let bases = plans.compactMap(\.base)
    for plan in plans where plan.base == nil { moveSequence(plan) }
    for table in old.tables where !bases.contains(where: { $0 === table }) { run("DROP TABLE \(table.sql)") }
  }

  /// Lets new keys begin after all keys that the old tables have given, so that no key is given twice.
  private mutating func moveSequence(_ plan: TablePlan) {
    var seen: [String] = []
    for copy in plan.copies {
      let table = old.table(of: copy.source).sql
      if !seen.contains(table) { seen.append(table) }
    }
    guard !seen.isEmpty else { return }
    let last = seen.flatMap { table in
      [
        "pg_sequence_last_value(pg_get_serial_sequence(\(sqlLiteral(table)), '\(TableLayout.key.name)')::regclass)",
        "(SELECT max(\(TableLayout.key)) FROM \(table))",
      ]
    }
    run(
      "SELECT setval(pg_get_serial_sequence(\(sqlLiteral(plan.present)), '\(TableLayout.key.name)'), s.n) "
        + "FROM (SELECT greatest(\(last.joined(separator: ", "))) AS n) s WHERE s.n IS NOT NULL")
  }

  // MARK: Names

  /// The names of the old tables and of their indexes, which a new table cannot have before they are renamed or dropped.
  var formerNames: Set<Identifier> {
    Set(
      old.tables.flatMap { [$0.name] + $0.indexes.map(\.name) + $0.uniqueConstraints.map(\.name) }
        + old.joinTables.flatMap { [$0.name, $0.index] })
  }

  /// Gives tables, columns, constraints and indexes their new names.
  mutating func renameAll() {
    for plan in plans {
      var names = plan.table.columns.map { (plan.present($0.name), $0.name) }
      if let kind = plan.kind { names.append((kind, TableLayout.kind)) }
      rename(names) { "ALTER TABLE \(plan.present) RENAME COLUMN \($0) TO \($1)" }
      let references = plan.table.columns.compactMap { column -> (Identifier, Identifier)? in
        guard let kept = keptReference(column, plan), let new = column.reference else { return nil }
        return (kept.constraint, new.constraint)
      }
      rename(references) { "ALTER TABLE \(plan.present) RENAME CONSTRAINT \($0) TO \($1)" }
    }
    for join in joins {
      guard let base = join.base else { continue }
      let names =
        [(base.own, join.table.own), (base.other, join.table.other)]
        + [(base.order, join.table.order), (base.inverseOrder, join.table.inverseOrder)].compactMap { old, new in
          old.flatMap { old in new.map { (old, $0) } }
        }
      rename(names) { "ALTER TABLE \(base.sql) RENAME COLUMN \($0) TO \($1)" }
    }
    renameRelations()
  }

  /// Gives tables and indexes their new names. A schema has each name once, so a table may get the former name of an index.
  private mutating func renameRelations() {
    var indexes: [(Identifier, Identifier)] = []
    for plan in plans {
      indexes += plan.table.uniqueConstraints.compactMap { new in keptUnique(new, plan).map { ($0.name, new.name) } }
      indexes += plan.table.indexes.compactMap { new in keptIndex(new.columns, plan).map { ($0, new.name) } }
    }
    indexes += joins.compactMap { join in join.base.map { ($0.index, join.table.index) } }
    let tables = plans.map { ($0.presentName, $0.table.name) } + joins.map { ($0.presentName, $0.table.name) }
    rename(
      tables.map { Renaming(from: $0, to: $1, kind: "TABLE") }
        + indexes.map { Renaming(from: $0, to: $1, kind: "INDEX") }
    ) { [old] in "ALTER \($2) \(old.qualified($0)) RENAME TO \($1)" }
  }

  private struct Renaming {
    var from: Identifier
    let to: Identifier
    var kind = ""
  }

  private mutating func rename(_ names: [(Identifier, Identifier)], _ sql: (Identifier, Identifier) -> String) {
    rename(names.map { Renaming(from: $0, to: $1) }) { from, to, _ in sql(from, to) }
  }

  /// Renames in an order in which no name is taken; two that exchange their names go by a third one.
  private mutating func rename(_ names: [Renaming], _ sql: (Identifier, Identifier, _ kind: String) -> String) {
    var rest = names.filter { $0.from != $0.to }
    while !rest.isEmpty {
      if let index = rest.firstIndex(where: { one in !rest.contains { $0.from == one.to } }) {
        let one = rest.remove(at: index)
        run(sql(one.from, one.to, one.kind))
      } else {
        let name = temporaryName()
        run(sql(rest[0].from, name, rest[0].kind))
        rest[0].from = name
      }
    }
  }

  // MARK: New definitions

  /// Adds checks, uniqueness, foreign keys and indexes, under the new names.
  mutating func addDefinitions() {
    for plan in plans {
      let table = plan.table
      if table.hasKinds, !keepsKindCheck(plan) {
        if plan.base?.hasKinds == true, plan.kind != TableLayout.kind {
          run("ALTER TABLE \(table.sql) ALTER COLUMN \(TableLayout.kind) SET NOT NULL")
        }
        if let check = table.kindCheck { add(check, named: table.checkName(of: TableLayout.kind), plan) }
      }
      for column in table.columns where !keepsRequirement(column, plan) {
        add(table.requirement(of: column), of: column, plan)
      }
      for constraint in table.uniqueConstraints where keptUnique(constraint, plan) == nil && !mergesDuplicates {
        run(StoreDefinitions.addition(of: constraint, to: table, from: uniqueIndexes[constraint.name]))
      }
      for index in table.indexes where keptIndex(index.columns, plan) == nil {
        if plan.base == nil {
          run(StoreDefinitions.definition(of: index, on: table))
        } else {
          pending.append(LateDefinition(index: index, on: table, in: new))
        }
      }
    }
    for plan in plans {
      for column in plan.table.columns {
        guard let reference = column.reference, keptReference(column, plan) == nil else { continue }
        add(reference, of: column, plan)
      }
    }
    for join in joins where join.base == nil {
      let table = join.table
      for (column, hierarchy) in [(table.own, table.ownHierarchy), (table.other, table.otherHierarchy)] {
        run(
          "ALTER TABLE \(table.sql) ADD FOREIGN KEY (\(column)) REFERENCES \(new.tables[hierarchy].sql) ON DELETE CASCADE "
            + "DEFERRABLE INITIALLY DEFERRED")
      }
      run("CREATE INDEX \(table.index) ON \(table.sql) (\(table.other))")
    }
  }

  /// Adds a foreign key. New rows are checked at once, the present rows after the commit.
  private mutating func add(_ reference: ColumnLayout.Reference, of column: ColumnLayout, _ plan: TablePlan) {
    let (table, destination) = (plan.table.sql, new.tables[reference.hierarchy].sql)
    if column.requiredBy.isEmpty, !hadReference(column, plan) {
      run(
        "UPDATE \(table) t SET \(column.name) = NULL WHERE \(column.name) IS NOT NULL AND NOT EXISTS "
          + "(SELECT 1 FROM \(destination) d WHERE d.\(TableLayout.key) = t.\(column.name))")
    }
    run(
      "ALTER TABLE \(table) ADD CONSTRAINT \(reference.constraint) FOREIGN KEY (\(column.name)) REFERENCES \(destination) "
        + "ON DELETE \(reference.action.rawValue) DEFERRABLE INITIALLY DEFERRED NOT VALID")
    pending.append(LateDefinition(validating: reference.constraint, of: plan.table))
  }
}

import ManagedModel
import PostgreSQL
import StoreRequests

// Statements that read a whole table run while other connections can read it: before the first statement that locks it,
// or after the commit.
extension MigrationPlanner {
  /// Makes the indexes of new uniqueness constraints whose columns keep the values of all rows. They lock out writers,
  /// which the migration has locked out already.
  mutating func makeUniqueIndexes() {
    if mergesDuplicates { return }
    for plan in plans {
      guard let base = plan.base, !plan.hasLeftRows else { continue }
      for constraint in plan.table.uniqueConstraints where keptUnique(constraint, plan) == nil {
        let columns = constraint.columns.compactMap { keepsValues(of: $0.name, plan) ? plan.kept[$0.name]?.name : nil }
        guard columns.count == constraint.columns.count else { continue }
        checks.append(duplicates(of: constraint, in: base.sql, columns))
        let index = temporaryName()
        run("CREATE UNIQUE INDEX \(index) ON \(base.sql) (\(columns.map(\.description).joined(separator: ", ")))")
        uniqueIndexes[constraint.name] = index
      }
    }
  }

  /// Whether all rows of a table that stays keep their values of a column.
  func keepsValues(of column: Identifier, _ plan: TablePlan) -> Bool {
    guard let kept = plan.kept[column]?.name else { return false }
    return plan.copies.allSatisfy { copy in
      switch copy.values[column] {
      case .column(kept): true
      case nil: !holds(copy.source, kept)
      default: false
      }
    }
  }

  /// The count of the rows that a uniqueness constraint refuses.
  func duplicates(of constraint: UniqueConstraint, in table: String, _ columns: [Identifier]) -> MigrationScript.Step {
    let names = columns.map(\.description)
    let known = names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let groups = "FROM \(table) WHERE \(known) GROUP BY \(names.joined(separator: ", ")) HAVING count(*) > 1"
    let texts = zip(constraint.columns, names).map { $0.exampleText($1) }.joined(separator: " || ', ' || ")
    let origin = relationships.origin(of: constraint.properties, in: constraint.entity.name)
    return .check(
      "SELECT coalesce(sum(n - 1), 0)::bigint FROM (SELECT count(*) AS n \(groups)) q",
      MigrationObstacle(
        entity: constraint.entity.name, property: nil, reason: .duplicates(constraint.properties, of: origin)),
      example: "SELECT \(texts) \(groups) ORDER BY min(\(TableLayout.key)) LIMIT 1")
  }

  /// Adds what a new column requires. New rows are checked at once. The present rows already satisfy the requirement, so
  /// the server checks them later.
  mutating func add(_ requirement: ColumnRequirement, of column: ColumnLayout, _ plan: TablePlan) {
    let table = plan.table
    switch requirement {
    case .none: break
    case .everyRow where plan.base == nil: run("ALTER TABLE \(table.sql) ALTER COLUMN \(column.name) SET NOT NULL")
    case .everyRow:
      run("ALTER TABLE \(table.sql) ADD \(table.lateRequirement(of: column.name)) NOT VALID")
      pending.append(LateDefinition(requiring: column.name, of: table))
    case .kinds:
      guard let check = requirement.definition(of: column.name, in: table) else { break }
      add(check, named: table.checkName(of: column.name), plan)
    }
  }

  mutating func add(_ check: String, named name: Identifier, _ plan: TablePlan) {
    run("ALTER TABLE \(plan.table.sql) ADD \(check)\(plan.base == nil ? "" : " NOT VALID")")
    if plan.base != nil { pending.append(LateDefinition(validating: name, of: plan.table)) }
  }
}

extension TableLayout {
  /// The `CHECK` that replaces `NOT NULL` until the server has checked all rows.
  func lateRequirement(of column: Identifier) -> String {
    "CONSTRAINT \(checkName(of: column)) CHECK (\(column) IS NOT NULL)"
  }
}

extension ColumnLayout {
  /// A value as text for a message.
  fileprivate func exampleText(_ value: String) -> String {
    if reference != nil { return "'object ' || \(value)" }
    switch type {
    case .text: return "'“' || \(value) || '”'"
    case .moment: return "to_char(\(value) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
    case .bytes: return "encode(\(value), 'hex')"
    default: return "\(value)::text"
    }
  }
}

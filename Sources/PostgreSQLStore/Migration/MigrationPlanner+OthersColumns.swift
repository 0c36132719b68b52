import ErrorReporting
import PostgreSQL

// Requirements and defaults that others have given the store's own columns.
extension MigrationPlanner {
  /// A table that is written anew.
  struct RewrittenTable {
    let name: Identifier
    let sql: String
    let hasSequence: Bool
    /// The tables whose rows come into it.
    var sources: [Identifier] = []
    /// The columns that a column's values come from, by the new name and the name of the old table; none for values from elsewhere.
    var columns: [Identifier: [Identifier: Identifier]] = [:]
    /// The new columns that have the name and the type of the old one, too.
    var sameColumns: Set<Identifier> = []
    /// The new columns whose values, in all rows, are those of old columns of the same type.
    var wholeColumns: Set<Identifier> = []
    /// The new columns that the store requires in every row.
    var requiredColumns: Set<Identifier> = []
  }

  /// Carries the requirements and defaults that others have given old columns over to the new columns.
  ///
  /// A new column gets a rule if each old column that its values come from has it.
  /// - Returns: the statements, and, by old table, the rules that no new column gets.
  func columnRules(
    of table: RewrittenTable, from sources: [(Identifier, FormerTable)]
  ) -> (statements: [String], lost: [Identifier: [String]]) {
    var statements: [String] = []
    var lost: [Identifier: [String]] = [:]
    for (column, formers) in table.columns.sorted(by: { $0.key.name < $1.key.name }) {
      let places = sources.compactMap { name, source in formers[name].map { (table: name, column: $0, source: source) }
      }
      let isWhole = places.count == sources.count && table.wholeColumns.contains(column)
      let defaults = places.map { $0.source.defaults[$0.column] }
      if isWhole, let first = defaults.first, let value = first, !value.hasSequence,
        defaults.allSatisfy({ $0 == first })
      {
        statements.append("ALTER TABLE \(table.sql) ALTER COLUMN \(column) SET DEFAULT \(value.expression)")
      } else {
        for place in places where place.source.defaults[place.column] != nil {
          lost[place.table, default: []].append("the default of the column \(quoted(place.column.name))")
        }
      }
      let requiring = places.filter { $0.source.othersRequired.contains($0.column) }
      if requiring.isEmpty || table.requiredColumns.contains(column) { continue }
      if isWhole, requiring.count == sources.count {
        statements.append("ALTER TABLE \(table.sql) ALTER COLUMN \(column) SET NOT NULL")
      } else {
        for place in requiring {
          lost[place.table, default: []].append("NOT NULL of the column \(quoted(place.column.name))")
        }
      }
    }
    return (statements, lost)
  }

  /// Tells of columns that stay, in a table that stays, without what others have given them: their values have another type.
  mutating func warnOfLostRules(of plan: TablePlan, _ table: FormerTable) {
    for column in plan.table.columns where plan.kept[column.name] == nil {
      guard let old = plan.copies.lazy.compactMap({ $0.values[column.name]?.source }).first else { continue }
      var lost: [String] = []
      if table.defaults[old] != nil { lost.append("default") }
      if table.othersRequired.contains(old), plan.converted[column.name] == nil { lost.append("NOT NULL") }
      for part in lost {
        warnings.append(
          "the column \(quoted(column.name.name)) of the table \(quoted(plan.table.name.name)) has values of another type, and lacks the \(part) that somebody has added"
        )
      }
    }
  }
}

import ManagedModel
import PostgreSQL
import StoreRequests

/// A value that both the old and the new model require of an attribute, in one column.
struct RequiredValue {
  /// The attribute, or the member of a structure, as messages spell it.
  let property: String
  /// The default value as SQL.
  let fallback: String?
}

// Rows may lack a value that the old model required: an earlier version of this package, a lenient copy or an administrator let its column
// be `NULL`. They keep such a column. A column whose requirement is made anew takes none of them.
extension MigrationPlanner {
  /// Gives rows without a required value the default value; counts the rows for which there is none, before anything is changed.
  mutating func completeRequiredValues() {
    for index in plans.indices {
      let plan = plans[index]
      for column in plan.table.columns
      where plan.table.requirement(of: column) != .none && !keepsRequirement(column, plan) {
        for place in plan.copies.indices { complete(column, of: place, in: index) }
      }
    }
  }

  private mutating func complete(_ column: ColumnLayout, of place: Int, in index: Int) {
    let (plan, copy) = (plans[index], plans[index].copies[place])
    guard let required = copy.required[column.name], let value = copy.values[column.name] else { return }
    let table = old.table(of: copy.source)
    if let name = value.source, former.tables[table.name]?.requiredColumns.contains(name) == true { return }
    // The conversion of a column that stays is made for all rows alike.
    if let fallback = required.fallback, plan.converted[column.name] == nil {
      let sql = "coalesce(\(value.sql), \(fallback))"
      plans[index].copies[place].values[column.name] =
        value.column.map { .adjusted($0, sql: sql, rows: "o.\($0) IS NULL") } ?? .computed(sql)
    } else {
      check(
        "SELECT count(*) FROM \(table.sql) o WHERE \(rowTest(of: copy.source)) AND (\(value.sql)) IS NULL",
        copy.destination.name, required.property, .missingValue(of: .formerProperty))
    }
  }
}

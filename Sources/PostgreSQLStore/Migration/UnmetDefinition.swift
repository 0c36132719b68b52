import ErrorReporting
import ManagedModel
import PostgreSQL
import StoreRequests

/// A definition that a migration has left for later, and that rows of the store violate. It cannot be made before somebody changes the rows.
struct UnmetDefinition: ReportableError, Sendable {
  let problem: String
  let remedy: String?

  /// Cost: one count. `nil` for an error that no row is the reason of, and for a definition that the layout lacks.
  init?(_ name: String, of layout: StoreLayout, after error: PostgreSQLError, over connection: Connection) {
    guard error.state == .notNullViolation || error.state == .checkViolation || error.state == .foreignKeyViolation,
      let violation = Violation(name, of: layout)
    else { return nil }
    let rows = "FROM \(violation.table.sql) t WHERE \(violation.rows)"
    let count = (try? connection.run("SELECT count(*) \(rows)").integer(0, 0)).flatMap { $0 > 0 ? $0 : nil }
    let subject = count.map { $0 == 1 ? "1 row" : "\($0) rows" } ?? "rows"
    let verb = count == 1 ? violation.verb.one : violation.verb.several
    problem =
      "\(connection.address): \(subject) of entity \(quoted(violation.entity)) \(verb) \(violation.object), so \(quoted(name)) is not in force for all rows"
    remedy =
      "\(violation.remedy); SELECT t.\(TableLayout.key) \(rows) names the rows. The next program that opens the store for writing tries again"
  }

  /// What is wrong with the rows.
  private struct Violation {
    let table: TableLayout
    let entity: String
    /// A condition for rows `t`.
    let rows: String
    let verb: (one: String, several: String)
    let object: String
    let remedy: String

    init?(_ name: String, of layout: StoreLayout) {
      for table in layout.tables {
        if table.hasKinds, table.checkName(of: TableLayout.kind).name == name {
          self.table = table
          entity = table.root.name
          let names = table.entities.filter { !$0.description.isAbstract }.map(\.name)
          rows = "t.\(TableLayout.kind) NOT IN (\(sqlLiterals(names)))"
          verb = ("has", "have")
          object = "another name in \(quoted(TableLayout.kind.name)) than the model has for entities of this table"
          remedy = "correct the name, or delete the rows"
          return
        }
        for column in table.columns {
          let isKey = column.reference?.constraint.name == name
          guard isKey || table.checkName(of: column.name).name == name,
            let (entity, property) = layout.property(of: column, in: table)
          else { continue }
          self.table = table
          self.entity = entity
          if isKey, let reference = column.reference {
            let destination = layout.tables[reference.hierarchy].sql
            rows =
              "t.\(column.name) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(destination) d WHERE d.\(TableLayout.key) = t.\(column.name))"
            verb = ("leads", "lead")
            object = "by property \(quoted(property)) to an object that has no row"
            remedy = "let \(column.name) lead to another row\(column.requiredBy.isEmpty ? " or to none" : "")"
          } else {
            var condition = "t.\(column.name) IS NULL"
            if case .kinds(let names) = table.requirement(of: column) {
              condition += " AND t.\(TableLayout.kind) IN (\(sqlLiterals(names)))"
            }
            rows = condition
            verb = ("has", "have")
            object = "no value of property \(quoted(property)), which the model requires"
            remedy = "give \(column.name) a value in these rows, or make the property optional"
          }
          return
        }
      }
      return nil
    }
  }
}

import CoreDataStore
import ErrorReporting
import ManagedModel
import StoreRequests
import ToolConsole

/// The steps of a migration as text: the changes in words, and the SQL.
struct MigrationText {
  let plan: MigrationPlan

  /// A line for each change that concerns a store.
  var changes: [String] { Self.lines(plan.changes) }

  static func lines(_ changes: [ModelChange]) -> [String] {
    changes.filter { $0.migration != .none }.map { change in
      let mark = change.obstacle == nil ? "~" : "!"
      return onOneLine("\(mark) \(change.description)")
    }
  }

  /// A line for each entity whose objects are removed.
  var removals: [String] { Self.lines(removed: plan.removedObjects) }

  static func lines(removed objects: [String: Int]) -> [String] {
    objects.sorted { $0.key < $1.key }.map {
      onOneLine("left behind: \(counted($0.value, "object")) of entity \(quoted($0.key))")
    }
  }

  /// What the marks mean, if Core Data would not infer a change.
  var note: String? {
    guard plan.changes.contains(where: { $0.obstacle != nil }) else { return nil }
    let note = "! Core Data would not infer this"
    // A plan that is refused for its changes is not carried out, whatever the rows are. The error names the change.
    return plan.refusal == nil ? "\(note); it is done here where the rows allow it" : note
  }

  /// The merge of rows with equal values of some properties.
  static func merge(_ entity: String, _ properties: [String]) -> String {
    let names = properties.map(quoted).joined(separator: ", ")
    return onOneLine("-- then rows of entity \(quoted(entity)) with equal \(names) become one row")
  }

  /// The statements in their order, in one transaction, with the counts that have to be 0.
  var sql: [String] {
    var lines = ["BEGIN IMMEDIATE;"]
    for step in plan.steps {
      switch step {
      case .check(let sql, let reason):
        lines += ["-- has to be 0, or the migration is refused: \(onOneLine(reason))", Self.statement(sql)]
      case .run(let sql): lines.append(Self.statement(sql))
      case .attempt(let sql):
        lines += ["-- of another program; left out if it no longer fits", Self.statement(sql)]
      case .merge(let entity, let properties): lines.append(Self.merge(entity, properties))
      }
    }
    if plan.steps.contains(where: {
      if case .run(let sql) = $0 { sql.contains(MigrationPlan.bitmapFunction) } else { false }
    }) {
      lines.insert(
        "-- \(MigrationPlan.bitmapFunction) is a function of store-tool: it gives history's bitmaps their new form",
        at: 0)
    }
    lines.append("-- then the metadata gets the hashes of the new model, and Z_MODELCACHE the model itself")
    return lines + ["COMMIT;"]
  }

  private static func statement(_ sql: String) -> String { onOneLine(sql) + (sql.hasSuffix(";") ? "" : ";") }
}

/// A change in the JSON output.
struct ChangeDocument: Encodable {
  let entity: String
  let property: String?
  let change: String
  /// Whether Core Data infers it too.
  let isLightweight: Bool

  init(_ change: ModelChange) {
    (entity, property) = (change.entity, change.property)
    self.change = change.phrase
    isLightweight = change.obstacle == nil
  }

  static func list(_ plan: MigrationPlan) -> [ChangeDocument] {
    plan.changes.filter { $0.migration != .none }.map(ChangeDocument.init)
  }
}

/// A reason against a migration in the JSON output.
struct ObstacleDocument: Encodable {
  let entity: String
  let property: String?
  let problem: String
  let remedy: String?
  let rows: Int64?

  init(_ error: MigrationError) {
    (entity, property) = (error.obstacle.entity, error.obstacle.property)
    (problem, remedy, rows) = (error.problem, error.remedy, error.rowCount)
  }
}

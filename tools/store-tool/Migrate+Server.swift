import ArgumentParser
import ErrorReporting
import ManagedModel
import PostgreSQLStore
import StoreRequests
import ToolConsole
import ToolModels

/// Shows how a store in a database would be migrated to a model. A program's container migrates it.
struct ServerMigrationPreview {
  let address: String
  let options: ServerOptions
  let keepsEntities: Bool
  let json: Bool

  /// The JSON output.
  private struct Document: Encodable {
    let formatVersion = 1
    let store: String
    let version: String
    /// `upToDate`, `planned` or `refused`.
    let result: String
    let changes: [ChangeDocument]
    let sql: [String]
    let problem: String?
  }

  /// - Throws: ``Failure`` if the schema has no store; the errors of the server.
  func show(_ target: MigrationTarget) throws {
    let place = "schema \(quoted(options.schema)) of \(try ServerStore.description(ofAddress: address))"
    var options = options
    if let naming = try ServerMigrator(address, options: options).naming() { options.naming = naming }
    let migrator = try ServerMigrator(address, options: options)
    guard
      let plan = try Progress.shared.during(
        "reading the store", { try migrator.plan(to: target.version.model, keepsOtherEntities: keepsEntities) })
    else {
      throw Failure([
        Message(
          severity: .error, file: place, line: nil, problem: "there is no store",
          remedy: "name the schema of a store by --schema")
      ])
    }
    let name = target.name(of: target.version)
    let sql = plan.isUpToDate || plan.refusal != nil ? [] : Self.sql(plan)
    if json {
      try Console.print(
        json: Document(
          store: place, version: name, result: plan.refusal != nil ? "refused" : sql.isEmpty ? "upToDate" : "planned",
          changes: plan.changes.filter { $0.migration != .none }.map(ChangeDocument.init), sql: sql,
          problem: plan.refusal?.problem))
    } else if plan.isUpToDate {
      try Console.print("\(onOneLine(place)): has the model \(onOneLine(name)) already")
    } else {
      let changes = plan.changes.filter { $0.migration != .none }.map { change in
        onOneLine("  \(change.obstacle == nil ? "~" : "!") \(change.description)")
      }
      try Console.print(
        ([Terminal.output.styled("\(onOneLine(place)): its own model → \(onOneLine(name))", .bold)] + changes
          + (sql.isEmpty ? [] : [""]) + sql).joined(separator: "\n"))
    }
    if let refusal = plan.refusal {
      Console.report([Message(file: place, refusal)])
      throw ExitCode(1)
    }
  }

  /// The statements of the transaction, with the counts that have to be 0, and the statements after it.
  private static func sql(_ plan: ServerMigrationPlan) -> [String] {
    var lines = ["BEGIN;", "SET CONSTRAINTS ALL IMMEDIATE;"]
    for step in plan.steps {
      switch step {
      case .check(let sql, let reason):
        lines += ["-- has to be 0, or the migration is refused: \(onOneLine(reason))", onOneLine(sql) + ";"]
      case .run(let sql): lines.append(onOneLine(sql) + ";")
      }
    }
    lines += ["-- then the tables of the store itself get the new model and its hashes", "COMMIT;"]
    return lines + plan.statementsAfterCommit.map { onOneLine($0) + ";" }
  }
}

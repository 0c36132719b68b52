import ArgumentParser
import ErrorReporting
import ManagedModel
import PostgreSQLStore
import StoreRequests
import ToolConsole
import ToolModels

/// Migrates a store in a database to a model, or shows how.
struct ServerMigrationRun {
  let address: String
  let options: ServerOptions
  let keepsEntities: Bool
  let isDry: Bool
  let json: Bool

  /// The JSON output.
  private struct Document: Encodable {
    let formatVersion = 1
    let store: String
    let version: String
    /// `upToDate`, `planned`, `migrated` or `refused`.
    var result: String
    let changes: [ChangeDocument]
    /// Objects by entity that are removed with their entities.
    let objectsLeftBehind: [String: Int]
    /// Of a dry run.
    let sql: [String]
    var problem: String?
    var obstacles: [ObstacleDocument] = []
  }

  /// Prints the changes, and migrates the store unless the run is dry.
  ///
  /// All is one transaction of the server. The lock that containers use keeps other migrators away, and writers wait.
  /// - Throws: ``Failure`` if the schema has no store; `ExitCode` if the migration is refused; the errors of the server.
  func run(_ target: MigrationTarget) throws {
    let place = "schema \(quoted(options.schema)) of \(try ServerStore.description(ofAddress: address))"
    var options = options
    options.sharesSessions = try ServerMigrator(address, options: options).isBehindPooler()
    if let naming = try ServerMigrator(address, options: options).naming() { options.naming = naming }
    let migrator = try ServerMigrator(address, options: options) { _ in Progress.shared.advance() }
    let model = target.version.model
    guard
      let plan = try Progress.shared.during(
        "reading the store", { try migrator.plan(to: model, keepsOtherEntities: keepsEntities) })
    else {
      throw Failure([
        Message(
          severity: .error, file: place, line: nil, problem: "there is no store",
          remedy: "name the schema of a store by --schema")
      ])
    }
    let name = target.name(of: target.version)
    let sql = !isDry || plan.isUpToDate || plan.refusal != nil ? [] : Self.sql(plan)
    var document = Document(
      store: place, version: name, result: plan.isUpToDate ? "upToDate" : isDry ? "planned" : "migrated",
      changes: plan.changes.filter { $0.migration != .none }.map(ChangeDocument.init),
      objectsLeftBehind: plan.removedObjects, sql: sql)
    if !json {
      try Console.print((header(plan, place, name) + (sql.isEmpty ? [] : [""]) + sql).joined(separator: "\n"))
    }
    func refuse(_ error: MigrationError) throws -> Never {
      Console.report([Message(file: place, error)])
      var output = VerdictOutput()
      if json {
        (document.result, document.problem) = ("refused", error.problem)
        document.obstacles = [ObstacleDocument(error)]
        try output.print { try Console.print(json: document) }
      }
      throw ExitCode(output.end(1))
    }
    if let refusal = plan.refusal { try refuse(refusal) }
    if !isDry, !plan.isUpToDate {
      do {
        _ = try Progress.shared.during("migrating \(options.schema)") {
          try migrator.migrate(to: model, keepsOtherEntities: keepsEntities)
        }
      } catch let error as MigrationError {
        try refuse(error)
      }
      Console.noteSaved("the store is migrated")
      if !json { try Console.print("migrated") }
    }
    if json { try Console.print(json: document) }
  }

  private func header(_ plan: ServerMigrationPlan, _ place: String, _ name: String) -> [String] {
    if plan.isUpToDate { return ["\(onOneLine(place)): has the model \(onOneLine(name)) already"] }
    return [Terminal.output.styled("\(onOneLine(place)): its own model → \(onOneLine(name))", .bold)]
      + (MigrationText.lines(plan.changes) + MigrationText.lines(removed: plan.removedObjects)).map { "  \($0)" }
  }

  /// The statements of the transaction, with the counts that have to be 0, and the statements after it.
  private static func sql(_ plan: ServerMigrationPlan) -> [String] {
    var lines = ["BEGIN;", "SET CONSTRAINTS ALL IMMEDIATE;"]
    for step in plan.steps {
      switch step {
      case .check(let sql, let reason):
        lines += ["-- has to be 0, or the migration is refused: \(onOneLine(reason))", onOneLine(sql) + ";"]
      case .run(let sql): lines.append(onOneLine(sql) + ";")
      case .merge(let entity, let properties): lines.append(MigrationText.merge(entity, properties))
      }
    }
    lines += ["-- then the tables of the store itself get the new model and its hashes", "COMMIT;"]
    return lines + plan.statementsAfterCommit.map { onOneLine($0) + ";" }
  }
}

internal import ManagedModel
internal import PostgreSQLStore
internal import StoreRequests
public import SwiftData

/// The migration of a PostgreSQL store, to be read before it is run. Not in Apple's framework.
public struct PostgreSQLMigrationPlan: Sendable, Hashable {
  /// The changes in words.
  public let changes: [String]
  /// The statements of the migration's transaction, in their order. Comments tell of counts that have to be 0, of rows that
  /// are merged, and of code of the program between the statements.
  public let statements: [String]
  /// The statements that run after the commit, while others read and write: they make indexes, and check foreign keys of old rows.
  public let statementsAfterCommit: [String]
  /// A change that no row can follow; `nil` if there is none. The container would throw it.
  public let refusal: String?

  /// Whether a container would change the store at all.
  public var isNeeded: Bool { !statements.isEmpty || refusal != nil }
}

extension PostgreSQLConfiguration {
  /// What a container of the schema would do to bring the configuration's store to it. Only reads.
  ///
  ///     let plan = try configuration.migrationPreview(for: Schema(versionedSchema: TripsV2.self))
  ///     for statement in plan?.statements ?? [] { print(statement + ";") }
  ///
  /// - Parameters:
  ///   - schema: the container's, if the configuration has none of its own.
  ///   - migrationPlan: the plan that the container would have.
  /// - Returns: `nil` if there is no store yet.
  /// - Throws: `SwiftDataError` for a version that the container would refuse; the server's errors. Cost: a few queries of catalogues.
  public func migrationPreview(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> PostgreSQLMigrationPlan? {
    let migrator = try ServerMigrator(address, options: options)
    guard let stored = try migrator.version() else { return nil }
    var changes: [String] = []
    var statements: [String] = []
    var late: [String] = []
    var beforeNext: [String] = []
    for step in try migrationSteps(from: stored, to: self.schema ?? schema, migrationPlan) {
      let source = step.source ?? stored.model
      guard
        let plan = try migrator.plan(
          to: step.model, from: source, keepsOtherEntities: step.keepsOtherEntities, convertsKinds: step.convertsKinds)
      else {
        return nil
      }
      changes += plan.changes.filter { $0.migration != .none }.map(\.description)
      if let refusal = plan.refusal {
        return PostgreSQLMigrationPlan(
          changes: changes, statements: [], statementsAfterCommit: [], refusal: "\(refusal)")
      }
      // A stage finds the indexes and the foreign keys of the stages before it.
      statements += beforeNext
      (late, beforeNext) = (plan.statementsAfterCommit, plan.statementsBeforeNextStage)
      let hasCodeAfter = step.codeAfter != nil || step.codeBeside != nil
      let hasWork = !plan.steps.isEmpty || step.hasCode
      guard hasWork || !step.statementsBefore.isEmpty || !step.statementsAfter.isEmpty else { continue }
      if step.codeBefore != nil {
        statements.append("-- \(step.name): here the program's code runs with the old objects")
      }
      statements += step.statementsBefore
      for step in plan.steps {
        switch step {
        case .check(let sql, let reason): statements.append("-- has to be 0, else: \(reason)\n\(sql)")
        case .run(let sql): statements.append(sql)
        case .merge(let entity, let properties):
          statements.append("-- rows of \(entity) with equal \(properties.joined(separator: ", ")) become one row")
        }
      }
      if hasCodeAfter { statements.append("-- \(step.name): here the program's code runs with the new objects") }
      statements += step.statementsAfter
    }
    return PostgreSQLMigrationPlan(
      changes: changes, statements: statements, statementsAfterCommit: late, refusal: nil)
  }
}

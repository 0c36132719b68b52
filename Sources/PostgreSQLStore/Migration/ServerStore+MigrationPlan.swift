package import ManagedModel
import PostgreSQL
package import StoreRequests

/// The steps of a migration, to be shown before it is run.
package struct ServerMigrationPlan: Sendable {
  /// The changes from the store's model to the other one, in words.
  package let changes: [ModelChange]
  package let steps: [Step]
  /// The statements that run after the commit, while other connections read and write.
  package let statementsAfterCommit: [String]
  /// The same statements as they run before a further stage, in the transaction.
  package let statementsBeforeNextStage: [String]
  /// Whether the store has the model already; then there are no steps.
  package let isUpToDate: Bool
  /// The reason why there are no steps: a change that no row can follow, whatever the rows are.
  package let refusal: MigrationError?
  /// The numbers of objects that go with their entities, by the entity's name in the store; without entities that have no objects.
  package var removedObjects: [String: Int] = [:]

  package enum Step: Sendable, Hashable {
    /// A count of rows that stand in the way, and the reason in words; it has to be 0.
    case check(sql: String, reason: String)
    case run(sql: String)
    /// Merges the rows of an entity that have equal values of some properties, before a uniqueness constraint is added.
    case merge(entity: String, properties: [String])
  }
}

extension ServerMigrator {
  /// The steps by which a migration without stages would bring the store to a model. Only reads.
  ///
  /// - Parameters:
  ///   - source: the model to begin with, for the later stages of a plan; `nil` for the store's own.
  ///   - keepsOtherEntities: whether entities that the model does not mention stay in the store.
  ///   - convertsKinds: whether the program's own code converts an attribute into a relationship of the same name, or the reverse.
  /// - Returns: `nil` if the schema has no store.
  package func plan(
    to model: ModelDescription, from source: ModelDescription? = nil, keepsOtherEntities: Bool,
    convertsKinds: Bool = false
  ) throws -> ServerMigrationPlan? {
    guard let stored = try source ?? version()?.model else { return nil }
    let next = (keepsOtherEntities ? model.keepingOtherEntities(of: stored) : model).keepingContents(of: stored)
    let changes = ModelDifference(from: stored, to: next).changes
    let records = StoreRecords(connection: try connect(), options: options)
    if try VersionHashes(stored) == VersionHashes(next), try records.definesSameTables(next, as: stored) {
      return ServerMigrationPlan(
        changes: changes, steps: [], statementsAfterCommit: [], statementsBeforeNextStage: [], isUpToDate: true,
        refusal: nil)
    }
    do {
      let layout = try LayoutBuilder.layout(next, schema: options.schema, rule: options.naming)
      let old = try LayoutBuilder.layout(stored, schema: options.schema, rule: options.naming)
      let script = try MigrationPlanner(
        from: old, to: layout, mergesDuplicates: options.duplicates != .fail, convertsKinds: convertsKinds,
        former: FormerTablesReader(connection: records.connection, layout: old).read()
      ).script(removesEntities: !keepsOtherEntities)
      let steps = script.steps.map { step -> ServerMigrationPlan.Step in
        switch step {
        case .check(let sql, let obstacle, _):
          .check(sql: sql, reason: MigrationError(obstacle: obstacle, rowCount: nil).problem)
        case .run(let sql): .run(sql: sql)
        }
      }
      let merges = script.merges.flatMap { constraint -> [ServerMigrationPlan.Step] in
        [
          .merge(entity: constraint.entity.name, properties: constraint.properties),
          .run(sql: StoreDefinitions.addition(of: constraint, to: layout.table(of: constraint.entity))),
        ]
      }
      var plan = ServerMigrationPlan(
        changes: changes, steps: steps + merges, statementsAfterCommit: script.pending.flatMap(\.statements),
        statementsBeforeNextStage: script.pending.flatMap(\.statementsInTransaction),
        isUpToDate: false, refusal: nil)
      if source == nil { plan.removedObjects = try records.removedObjects(changes, old) }
      return plan
    } catch let error as MigrationError {
      return ServerMigrationPlan(
        changes: changes, steps: [], statementsAfterCommit: [], statementsBeforeNextStage: [], isUpToDate: false,
        refusal: error)
    }
  }
}

extension StoreRecords {
  /// The numbers of objects of removed entities. Cost: one count for each.
  fileprivate func removedObjects(_ changes: [ModelChange], _ layout: StoreLayout) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for change in changes where change.kind == .entityRemoved {
      guard let entity = layout.entities.entity(named: change.entity), !entity.description.isAbstract else { continue }
      let table = layout.table(of: entity)
      let kind = table.hasKinds ? " WHERE \(TableLayout.kind) = \(sqlLiteral(entity.name))" : ""
      let count = try connection.run("SELECT count(*) FROM \(table.sql)\(kind)").integer(0, 0)
      if count > 0 { counts[entity.name] = Int(count) }
    }
    return counts
  }
}

package import Foundation
package import ManagedModel
import SQLite
package import StoreRequests

/// The steps of a migration, to be shown before it is run.
package struct MigrationPlan: Sendable {
  /// The changes from the store's model to the other one, in words.
  package let changes: [ModelChange]
  package let steps: [Step]
  /// Whether the store has the hashes of the model already, so that it opens as it is; then there are no steps.
  package let isUpToDate: Bool
  /// The reason why there are no steps: a change that is impossible whatever the rows are.
  package let refusal: MigrationError?
  /// The numbers of objects that are deleted with their entities, by the entity's name in the store; without entities that have no objects.
  package let removedObjects: [String: Int]

  package enum Step: Sendable, Hashable {
    /// A query that counts rows that prevent the migration, and the reason in words; the count has to be 0.
    case check(sql: String, reason: String)
    case run(sql: String)
    /// The definition of another program's index or trigger, which is left out if it no longer fits.
    case attempt(sql: String)
    /// Merges the rows of an entity that have equal values of some properties, before a unique index is added.
    case merge(entity: String, properties: [String])
  }

  /// The name of the function by which the SQL gives history's bitmaps their new form. Only this library has it.
  package static var bitmapFunction: String { MigrationPlanner.bitmapFunction }
}

extension PersistentStore {
  /// The steps by which ``migrate(at:through:from:keepsOtherEntities:duplicates:options:)`` would bring a store to a model. Only reads.
  ///
  /// - Parameters:
  ///   - source: the store's model, if the store has none in itself.
  ///   - keepsOtherEntities: whether entities that the model does not mention stay in the store.
  ///   - duplicates: the treatment of rows that a new uniqueness constraint finds with equal values.
  /// - Throws: ``StoreError``.
  package static func migrationPlan(
    at url: URL, to model: ModelDescription, from source: ModelDescription? = nil, keepsOtherEntities: Bool = false,
    duplicates: ChangeSet.DuplicatePolicy = .fail
  ) throws -> MigrationPlan {
    let store = try openToMigrate(url, source, isReadOnly: true)
    defer { store.close() }
    let model = keepsOtherEntities ? model.keepingOtherEntities(of: store.layout.model) : model
    let changes = ModelDifference(from: store.layout.model, to: model).changes
    if try store.planned({ try store.hasAlready(model) }) {
      return MigrationPlan(changes: changes, steps: [], isUpToDate: true, refusal: nil, removedObjects: [:])
    }
    let script: MigrationScript
    do {
      script = try store.read { try store.script(to: model, on: $0, removesEntities: !keepsOtherEntities, duplicates) }
    } catch let error as MigrationError {
      return MigrationPlan(changes: changes, steps: [], isUpToDate: false, refusal: error, removedObjects: [:])
    }
    let steps = script.steps.map { step -> MigrationPlan.Step in
      switch step {
      case .check(let sql, let obstacle, _):
        .check(sql: sql, reason: MigrationError(obstacle: obstacle, rowCount: nil).problem)
      case .run(let sql): .run(sql: sql)
      case .attempt(let sql): .attempt(sql: sql)
      }
    }
    let merges = script.uniqueness.flatMap { uniqueness -> [MigrationPlan.Step] in
      [.merge(entity: uniqueness.entity, properties: uniqueness.constraint), .run(sql: uniqueness.definition)]
    }
    return MigrationPlan(
      changes: changes, steps: steps + merges, isUpToDate: false, refusal: nil,
      removedObjects: try store.removedObjects(changes)
    )
  }

  /// Every reason for which a store would not be migrated to a model, with the numbers of rows. Writes nothing that stays.
  ///
  /// Runs the migration in a transaction that it rolls back; give it a copy of a store that is in use. After a first reason the steps go on as
  /// far as they can, to find the others. Cost: that of the migration.
  /// - Returns: the reasons; empty if the migration would succeed.
  /// - Throws: ``StoreError``
  package static func migrationObstacles(
    at url: URL, to model: ModelDescription, from source: ModelDescription? = nil, keepsOtherEntities: Bool = false,
    duplicates: ChangeSet.DuplicatePolicy = .fail
  ) throws -> [MigrationError] {
    struct Rehearsed: Error {}
    let store = try openToMigrate(url, source, isReadOnly: false)
    defer { store.close() }
    let model = keepsOtherEntities ? model.keepingOtherEntities(of: store.layout.model) : model
    if try store.planned({ try store.hasAlready(model) }) { return [] }
    var obstacles: [MigrationError] = []
    do {
      try store.write { connection in
        try connection.setPragma("legacy_alter_table", "ON")
        defer { _ = try? connection.setPragma("legacy_alter_table", "OFF") }
        do {
          let script = try store.script(
            to: model, on: connection, removesEntities: !keepsOtherEntities, duplicates)
          try script.run(on: connection) { obstacles.append($0) }
          if obstacles.isEmpty { try store.makeUnique(script, model, duplicates, connection) }
        } catch let error as SQLiteError where error.code == .constraint && !obstacles.isEmpty {
          // A row that was found to be in the way.
        } catch let error as MigrationError {
          obstacles.append(error)
        }
        throw Rehearsed()
      }
    } catch is Rehearsed {}
    return obstacles
  }

  private static func openToMigrate(
    _ url: URL, _ source: ModelDescription?, isReadOnly: Bool
  ) throws -> PersistentStore {
    let hasModel = (try? StoreModel.read(url)) != nil
    return try open(
      at: url, options: StoreOptions(isReadOnly: isReadOnly, createsIfMissing: false), model: hasModel ? nil : source)
  }

  /// The numbers of objects of removed entities. Cost: one count for each.
  private func removedObjects(_ changes: [ModelChange]) throws -> [String: Int] {
    try read { connection in
      var counts: [String: Int] = [:]
      for change in changes where change.kind == .entityRemoved {
        guard let entity = layout.entity(named: change.entity), !entity.isAbstract,
          let count = try connection.integer("SELECT count(*) FROM \(entity.table) WHERE Z_ENT = \(entity.number)"),
          count > 0
        else { continue }
        counts[entity.name] = Int(count)
      }
      return counts
    }
  }

  private func hasAlready(_ model: ModelDescription) throws -> Bool { try metadata.hashes == VersionHashes(model) }

  private func script(
    to model: ModelDescription, on connection: Connection, removesEntities: Bool,
    _ duplicates: ChangeSet.DuplicatePolicy
  ) throws -> MigrationScript {
    let catalogue = try Catalogue(connection)
    return try planned {
      try MigrationPlanner(from: layout, to: model, catalogue: catalogue, mergesDuplicates: duplicates != .fail)
        .script(removesEntities: removesEntities)
    }
  }

  private func planned<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as LayoutError {
      throw StoreError(path: url?.path, .unusableModel(reason: "\(error)"))
    } catch let error as VersionHashError {
      throw StoreError(path: url?.path, .unusableModel(reason: "\(error)"))
    }
  }
}

extension MigrationScript {
  /// Runs the script in the caller's transaction, and reports every obstacle instead of ending at the first one.
  fileprivate func run(on connection: Connection, obstructed: (MigrationError) -> Void) throws {
    var rest = steps[...]
    while let position = rest.firstIndex(where: \.isCheck) {
      try MigrationScript(steps: Array(rest[..<position]), bitmaps: bitmaps).run(on: connection, progress: nil)
      try StatementProgress.current?.report(Double(position) / Double(steps.count))
      if let error = try rest[position].obstacle(on: connection) { obstructed(error) }
      rest = rest[(position + 1)...]
    }
    try MigrationScript(steps: Array(rest), bitmaps: bitmaps).run(on: connection, progress: nil)
  }
}

extension MigrationScript.Step {
  fileprivate var isCheck: Bool { if case .check = self { true } else { false } }
}

import CoreDataStore
import ErrorReporting
import Foundation
import ManagedModel
import StoreRequests
import ToolConsole

/// A migration of one store, with its progress on the terminal.
struct MigrationRun {
  let store: URL
  let model: ModelDescription
  /// The store's model, if the store has none in itself.
  let source: ModelDescription?
  let keepsEntities: Bool
  /// Mapping models that come before the inferred migration.
  let chain: MappingChain
  /// The treatment of rows that a new uniqueness constraint finds with equal values.
  let duplicates: ChangeSet.DuplicatePolicy

  /// - Throws: `StoreError`
  func plan() throws -> MigrationPlan {
    try PersistentStore.migrationPlan(
      at: store, to: model, from: source, keepsOtherEntities: keepsEntities, duplicates: duplicates)
  }

  /// What the mapping models would do, and the reasons for which rows would be in the way, found on a copy.
  func rehearse() throws -> (mappings: [MappingDocument], obstacles: [MigrationError]) {
    try during("trying the migration") {
      try TrialCopy.with(store) { copy in
        let mappings = try chain.carryOut(on: copy, of: store)
        let obstacles = try PersistentStore.migrationObstacles(
          at: copy, to: model, from: chain.destination ?? source, keepsOtherEntities: keepsEntities,
          duplicates: duplicates)
        return (mappings, obstacles)
      }
    }
  }

  /// Migrates the store. The store as it was is kept until that has succeeded.
  ///
  /// - Returns: what the mapping models did, and the backup, if it is still there.
  func migrateInPlace(keepsBackup: Bool) throws -> (mappings: [MappingDocument], backup: URL?) {
    let backup = try StoreBackup.make(of: store)
    let mappings: [MappingDocument]
    do { mappings = try chain.isEmpty ? migrate(store) : WorkingCopy.change(store, migrate) } catch {
      // The store is as it was. A disk that fails may need the backup all the same.
      if error is MigrationError || error is Interruption.Requested || error is Failure || Self.isLocked(error) {
        try? StoreCopy.remove(backup)
      } else {
        Console.report([
          Message(
            severity: .note, file: store.path, line: nil, problem: "the store as it was is in \(onOneLine(backup.path))"
          )
        ])
      }
      throw error
    }
    if keepsBackup { return (mappings, backup) }
    try StoreCopy.remove(backup)
    return (mappings, nil)
  }

  private static func isLocked(_ error: any Error) -> Bool {
    if case .locked? = (error as? StoreError)?.kind { true } else { false }
  }

  /// Migrates a copy, which takes its place when it is complete.
  func migrateCopy(to place: URL, replaces: Bool, isUpToDate: Bool) throws -> [MappingDocument] {
    var mappings: [MappingDocument] = []
    try StoreCopy.copyShowingProgress(from: store, to: place, replaces: replaces) { draft in
      if !isUpToDate { mappings = try migrate(draft) }
    }
    return mappings
  }

  private func migrate(_ url: URL) throws -> [MappingDocument] {
    try during("migrating \(store.lastPathComponent)") {
      let mappings = try chain.carryOut(on: url, of: store)
      try PersistentStore.migrate(
        at: url, through: [model], from: chain.destination ?? source, keepsOtherEntities: keepsEntities,
        duplicates: duplicates)
      return mappings
    }
  }

  @discardableResult
  private func during<Result>(_ task: String, _ work: () throws -> Result) throws -> Result {
    try Progress.shared.during(task) {
      try StatementProgress(Progress.shared.report).whileRunning { try work() }
    }
  }
}

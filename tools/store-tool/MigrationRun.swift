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

  /// - Throws: `StoreError`
  func plan() throws -> MigrationPlan {
    try PersistentStore.migrationPlan(at: store, to: model, from: source, keepsOtherEntities: keepsEntities)
  }

  /// What the mapping models would do, and the reasons for which rows would be in the way, found on a copy.
  func rehearse() throws -> (mappings: [MappingDocument], obstacles: [MigrationError]) {
    try during("trying the migration") {
      try TrialCopy.with(store) { copy in
        let mappings = try chain.carryOut(on: copy, of: store)
        let obstacles = try PersistentStore.migrationObstacles(
          at: copy, to: model, from: chain.destination ?? source, keepsOtherEntities: keepsEntities)
        return (mappings, obstacles)
      }
    }
  }

  /// Migrates the store. The store as it was is kept until that has succeeded.
  ///
  /// - Returns: what the mapping models did, and the backup, if it is still there.
  func migrateInPlace(keepsBackup: Bool) throws -> (mappings: [MappingDocument], backup: URL?) {
    let backup = try copied { try StoreBackup.make(of: store) }
    let mappings: [MappingDocument]
    do { mappings = try chain.isEmpty ? migrate(store) : migrateOnWorkingCopy() } catch {
      // The store is as it was. A disk that fails may need the backup all the same.
      if error is MigrationError || error is Interruption.Requested || error is Failure {
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

  /// Carries out several steps on a copy, whose content then replaces that of the store in one transaction.
  private func migrateOnWorkingCopy() throws -> [MappingDocument] {
    for _ in 0..<3 {
      let copy = try WorkingCopy(of: store)
      let mappings = try migrate(copy.url)
      if try copy.publish() { return mappings }
    }
    throw Failure(
      store, line: nil, "the store was not migrated: other programs wrote to it each time",
      remedy: "close them and try again")
  }

  /// Migrates a copy, which takes its place when it is complete.
  func migrateCopy(to place: URL, replaces: Bool, isUpToDate: Bool) throws -> [MappingDocument] {
    var mappings: [MappingDocument] = []
    try copied {
      try StoreCopy.copy(
        from: store, to: place, replaces: replaces,
        progress: { share in
          Progress.shared.advance(to: share)
          try Interruption.shared.check()
        },
        changing: { draft in
          if isUpToDate { return }
          do { mappings = try migrate(draft) } catch let error as StoreError {
            throw StoreError(path: store.path, error.kind)
          }
        })
    }
    return mappings
  }

  private func migrate(_ url: URL) throws -> [MappingDocument] {
    try during("migrating \(store.lastPathComponent)") {
      let mappings = try chain.carryOut(on: url, of: store)
      try PersistentStore.migrate(
        at: url, through: [model], from: chain.destination ?? source, keepsOtherEntities: keepsEntities)
      return mappings
    }
  }

  @discardableResult
  private func copied<Result>(_ work: () throws -> Result) throws -> Result {
    try Progress.shared.during("copying \(store.lastPathComponent)", work)
  }

  @discardableResult
  private func during<Result>(_ task: String, _ work: () throws -> Result) throws -> Result {
    try Progress.shared.during(task) {
      try StatementProgress.$report.withValue({ share in
        Progress.shared.advance(to: share)
        try Interruption.shared.check()
      }) { try work() }
    }
  }
}

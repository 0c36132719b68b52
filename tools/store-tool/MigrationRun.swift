import CoreDataStore
import ErrorReporting
import Foundation
import ManagedModel
import ToolConsole

/// A migration of one store, with its progress on the terminal.
struct MigrationRun {
  let store: URL
  let model: ModelDescription
  /// The store's model, if the store has none in itself.
  let source: ModelDescription?
  let keepsEntities: Bool

  /// - Throws: `StoreError`
  func plan() throws -> MigrationPlan {
    try PersistentStore.migrationPlan(at: store, to: model, from: source, keepsOtherEntities: keepsEntities)
  }

  /// The reasons for which rows would be in the way, found on a copy.
  func rehearse() throws -> [MigrationError] {
    let folder = try TrialFolder()
    let copy = try copied { try folder.copy(of: store) }
    return try during("trying the migration") {
      try PersistentStore.migrationObstacles(at: copy, to: model, from: source, keepsOtherEntities: keepsEntities)
    }
  }

  /// Migrates the store. The store as it was is kept until that has succeeded.
  ///
  /// - Returns: the backup, if it is still there.
  func migrateInPlace(keepsBackup: Bool) throws -> URL? {
    let backup = URL(fileURLWithPath: store.path + ".backup")
    try copied {
      try StoreCopy.copy(from: store, to: backup) { share in
        Progress.shared.advance(to: share)
        try Interruption.shared.check()
      }
    }
    do { try migrate(store) } catch {
      // The transaction was rolled back. A disk that fails may need the backup all the same.
      if error is MigrationError || error is Interruption.Requested {
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
    if keepsBackup { return backup }
    try StoreCopy.remove(backup)
    return nil
  }

  /// Migrates a copy, which takes its place when it is complete.
  func migrateCopy(to place: URL, replaces: Bool, isUpToDate: Bool) throws {
    let folder = try TrialFolder()
    let copy = try isUpToDate ? store : copied { try folder.copy(of: store) }
    if !isUpToDate { try migrate(copy) }
    try copied { try StoreCopy.copy(from: copy, to: place, replaces: replaces) }
  }

  private func migrate(_ url: URL) throws {
    try during("migrating \(store.lastPathComponent)") {
      try PersistentStore.migrate(at: url, through: [model], from: source, keepsOtherEntities: keepsEntities)
    }
  }

  @discardableResult
  private func copied<Result>(_ work: () throws -> Result) throws -> Result {
    try Progress.shared.during("copying \(store.lastPathComponent)", work)
  }

  @discardableResult
  private func during<Result>(_ task: String, _ work: () throws -> Result) throws -> Result {
    try Progress.shared.during(task) {
      try MigrationProgress.$report.withValue({ share in
        Progress.shared.advance(to: share)
        try Interruption.shared.check()
      }) { try work() }
    }
  }
}

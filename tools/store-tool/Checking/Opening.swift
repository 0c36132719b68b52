import CoreDataStore
import Foundation
import StoreRequests
import ToolConsole
import ToolModels

/// What a container of a model's classes would do with a store.
struct Opening {
  enum Answer {
    case asItIs
    case migration(MigrationPlan)
    case refused([ChangeDocument], [MigrationError])
    /// The store, or the model, cannot be used at all.
    case unusable(StoreError)
  }

  let answer: Answer
  /// The name of the version to open the store with.
  let name: String
  /// The name of the version that the store has; `nil` if the model has none that fits.
  let ownName: String?

  /// `nil` without a model.
  ///
  /// - Throws: `StoreError` if the store cannot be copied.
  init?(of url: URL, with target: MigrationTarget?) throws {
    guard let target else { return nil }
    let own = target.versionOfStore(url)
    name = target.name(of: target.version)
    ownName = own.map(target.name)
    do {
      let plan = try PersistentStore.migrationPlan(
        at: url, to: target.version.model, from: own?.model, keepsOtherEntities: true)
      guard !plan.isUpToDate else {
        answer = .asItIs
        return
      }
      if let refusal = plan.refusal {
        answer = .refused(ChangeDocument.list(plan), [refusal])
        return
      }
      let obstacles = try Progress.shared.during("trying a migration of \(url.lastPathComponent)") {
        try TrialCopy.with(url) { copy in
          try StatementProgress(Progress.shared.report).whileRunning {
            try PersistentStore.migrationObstacles(
              at: copy, to: target.version.model, from: own?.model, keepsOtherEntities: true)
          }
        }
      }
      answer = obstacles.isEmpty ? .migration(plan) : .refused(ChangeDocument.list(plan), obstacles)
    } catch let error as StoreError {
      answer = .unusable(error)
    }
  }

  var isPossible: Bool {
    switch answer {
    case .asItIs, .migration: true
    case .refused, .unusable: false
    }
  }
}

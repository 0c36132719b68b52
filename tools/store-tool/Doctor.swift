import ArgumentParser
import CoreDataStore
import ErrorReporting
import Foundation
import ManagedModel
import StoreInspection
import StoreRequests
import ToolConsole
import ToolModels

/// `store-tool doctor STORE`
struct Doctor: StoreCommand {
  static let configuration = CommandConfiguration(
    abstract: "Says whether a store opens with a model, checks it, and repairs it.",
    discussion: """
      With --model it says what a container of the model's classes would do: open the store as it is, migrate it by inference, \
      with the changes in words, or refuse it, with every reason and the numbers of rows in the way. The migration is tried \
      on a temporary copy. Then the store is checked as by `store-tool check`.

      With --output or --repair, the findings that are called repairable are repaired, in one transaction. A repair loses no \
      value that a program reads: it sets bookkeeping right, makes missing indexes, triggers and tables of history, and clears keys \
      that lead to nothing. --output writes a repaired copy. --repair repairs the store itself, and keeps the store as it was in \
      STORE.backup, or in STORE-backup if STORE has no extension. Close programs that have the store open before.

      EXAMPLES
        store-tool doctor Library.sqlite --model Library.xcdatamodeld
        store-tool doctor Library.sqlite --output Repaired.sqlite
        store-tool doctor Library.sqlite --repair

      EXIT CODES
        0    the store opens, or would after a migration, and has no errors, or has none any more
        1    it would be refused, or errors remain
        2    the store cannot be read, or cannot be repaired
        130  interrupted
      """)

  @Argument(help: "The store's file.", transform: parsePath) var store: String
  @Option(
    help: ArgumentHelp(
      "The model to open the store with: an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store.", valueName: "path"),
    transform: parsePath)
  var model: String?
  @Option(
    help: ArgumentHelp("The version of the model; the current one by default.", valueName: "name"))
  var modelVersion: String?
  @Option(
    name: .shortAndLong, help: ArgumentHelp("Repair a copy, which is written here.", valueName: "file"),
    transform: parsePath)
  var output: String?
  @Flag(help: "Repair the store itself, and keep it as it was in STORE.backup.") var repair = false
  @Flag(help: "With --output: replace a store that exists.") var force = false
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    if output != nil, repair {
      throw ValidationError("--output cannot be combined with --repair: one repairs a copy, the other the store.")
    }
    if modelVersion != nil, model == nil { throw ValidationError("--model-version needs --model.") }
    if force, output == nil { throw ValidationError("--force needs --output.") }
  }

  func perform() throws {
    let url = URL(fileURLWithPath: store)
    let target = try model.map { try MigrationTarget(path: $0, version: modelVersion) }
    let candidates = target?.file.versions.map(\.model) ?? []
    Interruption.shared.observe()
    var report = try Progress.shared.during("checking \(url.lastPathComponent)") {
      try StoreChecker.report(url, candidates: candidates)
    }
    let opening = try Opening(of: url, with: target)
    let first = report
    var repaired: URL?
    var backup: URL?
    var made: [StoreRepair] = []
    if output != nil || repair {
      let isNeeded = try StoreRepair.isNeeded(url, candidates: candidates)
      let place = output.map { URL(fileURLWithPath: $0) } ?? url
      func repairs(_ file: URL) throws -> [StoreRepair] {
        guard isNeeded else { return [] }
        return try Progress.shared.during("repairing \(place.lastPathComponent)") {
          try StoreRepair.repair(file, candidates: candidates)
        }
      }
      if output != nil {
        try copy(url, to: place) { made = try repairs($0) }
      } else {
        if isNeeded {
          backup = try StoreBackup.make(of: url)
        }
        made = try repairs(url)
      }
      if isNeeded {
        report = try Progress.shared.during("checking \(place.lastPathComponent)") {
          try StoreChecker.report(place, candidates: candidates)
        }
      }
      repaired = place
    }
    let diagnosis = Diagnosis(
      store: store, opening: opening, report: first, repaired: repaired, backup: backup, repairs: made,
      remaining: report)
    if json {
      try Console.print(json: DoctorDocument(diagnosis))
    } else {
      try Console.print(DoctorText(diagnosis).lines.joined(separator: "\n"))
    }
    if opening?.isPossible == false || !report.isSound { throw ExitCode(1) }
  }

  /// Copies the store, and repairs the copy before it takes its place.
  private func copy(_ source: URL, to target: URL, _ repair: @escaping (URL) throws -> Void) throws {
    do {
      try StoreCopy.copyShowingProgress(from: source, to: target, replaces: force, changing: repair)
    } catch let error as StoreCopyError {
      throw Failure([Copy.message(error, force: force)])
    }
  }
}

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

/// All that the doctor has found and done.
struct Diagnosis {
  let store: String
  let opening: Opening?
  let report: CheckReport
  /// The file that was repaired; `nil` if no repair was asked for.
  let repaired: URL?
  let backup: URL?
  let repairs: [StoreRepair]
  /// The findings after the repairs.
  let remaining: CheckReport
}

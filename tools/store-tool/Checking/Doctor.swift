import ArgumentParser
import CoreDataStore
import Foundation
import ManagedModel
import StoreInspection
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
      that lead to nothing. --output writes a repaired copy; if there is nothing to repair, it writes nothing, and says so. \
      --repair repairs the store itself, and keeps the store as it was in STORE.backup, or in STORE-backup if STORE has no \
      extension. Before you repair, close the programs that have it open.

      EXAMPLES
        store-tool doctor Library.sqlite --model Library.xcdatamodeld
        store-tool doctor Library.sqlite --output Repaired.sqlite
        store-tool doctor Library.sqlite --repair

      EXIT CODES
        0    the store opens, or would after a migration, and no errors remain
        1    it would be refused, or errors remain
        2    the store cannot be read, or cannot be repaired
        130  interrupted
      """)

  @Argument(help: "The store's file.", transform: parseFilePath) var store: String
  @Option(
    help: ArgumentHelp(
      "The model to open the store with: an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store.", valueName: "path"),
    transform: parsePath)
  var model: String?
  @Option(
    help: ArgumentHelp("The version of the model; the current one by default.", valueName: "name"))
  var modelVersion: String?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Repair a copy, which is written here if there is something to repair.", valueName: "file"),
    transform: parseFilePath)
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
      try StoreChecker.report(url, candidates: candidates, poll: Interruption.shared.check)
    }
    let opening = try Opening(of: url, with: target)
    var diagnosis = Diagnosis(store: store, opening: opening, report: report)
    if output != nil || repair {
      diagnosis.repair = try makeRepair(of: url, candidates)
      if case .made(let file, _, _)? = diagnosis.repair {
        report = try Progress.shared.during("checking \(file.lastPathComponent)") {
          try StoreChecker.report(file, candidates: candidates, poll: Interruption.shared.check)
        }
      }
      diagnosis.remaining = report
    }
    var output = VerdictOutput()
    try output.print {
      if json {
        try Console.print(json: DoctorDocument(diagnosis))
      } else {
        try Console.print(DoctorText(diagnosis).lines.joined(separator: "\n"))
      }
    }
    try output.end(with: opening?.isPossible == false || !report.isSound ? 1 : 0)
  }

  /// Repairs a copy or the store. Nothing is written if there is nothing to repair.
  private func makeRepair(of url: URL, _ candidates: [ModelDescription]) throws -> Diagnosis.Repair {
    guard try StoreRepair.isNeeded(url, candidates: candidates, poll: Interruption.shared.check) else {
      return .notNeeded(omitted: output)
    }
    let place = output.map { URL(fileURLWithPath: $0) } ?? url
    var repairs: [StoreRepair] = []
    // Among findings that are only counted there may turn out to be none that can be repaired.
    struct NothingRepaired: Error {}
    func change(_ file: URL) throws {
      repairs = try Progress.shared.during("repairing \(place.lastPathComponent)") {
        try StoreRepair.repair(file, candidates: candidates, poll: Interruption.shared.check)
      }
      if repairs.isEmpty { throw NothingRepaired() }
    }
    var backup: URL?
    do {
      if let output {
        try copy(url, to: place, change)
        Console.noteSaved("the copy is written to \(output)")
      } else {
        backup = try StoreBackup.make(of: url)
        try change(url)
        Console.noteSaved("the repairs are saved in \(store)")
      }
    } catch is NothingRepaired {
      if let backup { try StoreCopy.remove(backup) }
      return .notNeeded(omitted: output)
    }
    return .made(place, repairs, backup: backup)
  }

  /// Copies the store, and repairs the copy before it takes its place.
  private func copy(_ source: URL, to target: URL, _ repair: @escaping (URL) throws -> Void) throws {
    do {
      try StoreCopy.copyShowingProgress(from: source, to: target, replaces: force, changing: repair)
    } catch let error as StoreCopyError {
      throw Failure(ofCopy: error, suggestsForce: !force)
    }
  }
}

/// All that the doctor has found and done.
struct Diagnosis {
  /// What has become of the wish for a repair.
  enum Repair {
    /// The file that was repaired, the repairs, and the copy of the store as it was.
    case made(URL, [StoreRepair], backup: URL?)
    /// There is nothing that can be repaired; `omitted` is the path of `--output`, where nothing is written.
    case notNeeded(omitted: String?)
  }

  let store: String
  let opening: Opening?
  let report: CheckReport
  /// `nil` if no repair was asked for.
  var repair: Repair?
  /// The findings after the repairs; `nil` if none were asked for.
  var remaining: CheckReport?
}

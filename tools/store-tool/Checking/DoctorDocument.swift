import CoreDataStore
import Foundation
import StoreInspection

/// A diagnosis in the form of the JSON output.
struct DoctorDocument: Encodable {
  struct OpeningDocument: Encodable {
    let version: String
    let ownVersion: String?
    /// `asItIs`, `migration`, `refused` or `unusable`.
    let answer: String
    var changes: [ChangeDocument] = []
    var obstacles: [ObstacleDocument] = []
    var error: String?
  }

  struct Finding: Encodable {
    let rule: String
    let severity: String
    let subject: String
    let problem: String
    let isRepairable: Bool
  }

  struct Repair: Encodable {
    let rule: String
    let subject: String
    let repair: String
    /// The number of changed rows; `nil` for a definition.
    let rows: Int64?
    let failure: String?
  }

  let formatVersion = 1
  let store: String
  let opening: OpeningDocument?
  let findings: [Finding]
  /// Whether there was something to repair; `nil` if no repair was asked for.
  let isRepairNeeded: Bool?
  /// The file with the repairs; `nil` if none were made.
  let repairedFile: String?
  let backup: String?
  let repairs: [Repair]
  /// The findings after the repairs; `nil` if none were asked for.
  let remaining: [Finding]?

  init(_ diagnosis: Diagnosis) {
    func list(_ report: CheckReport) -> [Finding] {
      report.findings.filter { $0.severity != .note }.map {
        Finding(
          rule: $0.rule.rawValue, severity: $0.severity.rawValue, subject: $0.subject, problem: $0.problem,
          isRepairable: $0.isRepairable)
      }
    }
    store = diagnosis.store
    opening = diagnosis.opening.map { opening in
      func document(_ answer: String) -> OpeningDocument {
        OpeningDocument(version: opening.name, ownVersion: opening.ownName, answer: answer)
      }
      switch opening.answer {
      case .asItIs: return document("asItIs")
      case .migration(let plan):
        var result = document("migration")
        result.changes = ChangeDocument.list(plan)
        return result
      case .refused(let changes, let obstacles):
        var result = document("refused")
        (result.changes, result.obstacles) = (changes, obstacles.map(ObstacleDocument.init))
        return result
      case .unusable(let error):
        var result = document("unusable")
        result.error = error.predicate
        return result
      }
    }
    findings = list(diagnosis.report)
    var made: (file: URL, repairs: [StoreRepair], backup: URL?)?
    if case .made(let file, let repairs, let backup)? = diagnosis.repair { made = (file, repairs, backup) }
    isRepairNeeded = diagnosis.repair.map { _ in made != nil }
    repairedFile = made?.file.path
    backup = made?.backup?.path
    repairs = (made?.repairs ?? []).map {
      Repair(rule: $0.rule.rawValue, subject: $0.subject, repair: $0.words, rows: $0.rowCount, failure: $0.failure)
    }
    remaining = diagnosis.remaining.map(list)
  }
}

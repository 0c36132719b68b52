import CoreDataStore
import ErrorReporting
import Foundation
import ManagedModel
import StoreInspection
import ToolConsole

/// A diagnosis as text.
struct DoctorText {
  private let diagnosis: Diagnosis
  private let terminal = Terminal.output
  /// The largest number of findings shown; `store-tool check` shows all.
  private static let limit = 20

  init(_ diagnosis: Diagnosis) { self.diagnosis = diagnosis }

  var lines: [String] {
    var lines = [terminal.styled(onOneLine(diagnosis.store), .bold)]
    if let opening = diagnosis.opening { lines += self.lines(of: opening) }
    lines += findings(diagnosis.report, "check")
    guard let place = diagnosis.repaired else {
      let count = diagnosis.report.findings.count(where: \.isRepairable)
      if count > 0 { lines.append("  \(amount(count, "finding")) can be repaired: use --output FILE or --repair") }
      return lines
    }
    lines.append(
      diagnosis.repairs.isEmpty
        ? "  there is nothing that can be repaired" : "  repaired, in \(onOneLine(place.path)):")
    for repair in diagnosis.repairs {
      let text = "\(onOneLine(repair.subject)): \(onOneLine(repair.words))"
      lines.append(
        repair.failure.map { terminal.styled("    failed: \(text): \(onOneLine($0))", .red) }
          ?? "    \(text)\(repair.rowCount.map { " (\(amount(Int($0), "row")))" } ?? "")")
    }
    if let backup = diagnosis.backup { lines.append("  the store as it was: \(onOneLine(backup.path))") }
    if !diagnosis.repairs.isEmpty { lines += findings(diagnosis.remaining, "check after the repair") }
    return lines
  }

  private func lines(of opening: Opening) -> [String] {
    let own =
      opening.ownName.map { "the store is of version \(onOneLine($0))" } ?? "the store is of no version of the model"
    let name = onOneLine(opening.name)
    switch opening.answer {
    case .asItIs: return ["  \(own)", terminal.styled("  opens with \(name) as it is", .green)]
    case .migration(let plan):
      let text = MigrationText(plan: plan)
      return ["  \(own)", terminal.styled("  opens with \(name) after a migration that is inferred:", .green)]
        + text.changes.map { "    \($0)" } + (text.note.map { ["    \($0)"] } ?? [])
    case .refused(let changes, let obstacles):
      return ["  \(own)"] + changes.map { "    \($0.line)" }
        + [terminal.styled("  would be refused by \(name):", .red)]
        + obstacles.map { "    \(onOneLine("\($0)"))" }
    case .unusable(let error):
      return [terminal.styled("  cannot be opened with \(name): it \(onOneLine(error.predicate))", .red)]
        + (error.remedy.map { ["    → \(onOneLine($0))"] } ?? [])
    }
  }

  private func findings(_ report: CheckReport, _ title: String) -> [String] {
    let shown = report.findings.filter { $0.severity != .note }
    guard !shown.isEmpty else { return [terminal.styled("  \(title): in order", .green)] }
    let errors = shown.count { $0.severity == .error }
    let parts = [(errors, "error"), (shown.count - errors, "warning")].filter { $0.0 > 0 }.map { amount($0.0, $0.1) }
    let rest = shown.count - Self.limit
    return ["  \(title): \(parts.joined(separator: ", "))"]
      + shown.prefix(Self.limit).map { finding in
        let isRepairable = finding.isRepairable ? " (can be repaired)" : ""
        return
          "    \(finding.severity.rawValue): \(onOneLine(finding.subject)): \(onOneLine(finding.problem))\(isRepairable)"
      } + (rest > 0 ? ["    … and \(rest) more; see store-tool check"] : [])
  }

  private func amount(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}

extension ChangeDocument {
  fileprivate var line: String {
    let place = "entity \(quoted(entity))" + (property.map { ", property \(quoted($0))" } ?? "")
    return onOneLine("\(isLightweight ? "~" : "!") \(place) \(change)")
  }
}

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
    repairedFile = diagnosis.repaired?.path
    backup = diagnosis.backup?.path
    repairs = diagnosis.repairs.map {
      Repair(rule: $0.rule.rawValue, subject: $0.subject, repair: $0.words, rows: $0.rowCount, failure: $0.failure)
    }
    remaining = diagnosis.repaired.map { _ in list(diagnosis.remaining) }
  }
}

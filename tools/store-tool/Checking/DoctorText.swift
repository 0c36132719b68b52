import CoreDataStore
import ErrorReporting
import Foundation
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
    switch diagnosis.repair {
    case nil:
      let count = diagnosis.report.findings.count(where: \.isRepairable)
      if count > 0 { lines.append("  \(counted(count, "finding")) can be repaired: use --output FILE or --repair") }
    case .notNeeded(let omitted)?:
      let consequence = omitted.map { ": \(onOneLine($0)) is not written" } ?? ""
      lines.append("  there is nothing that can be repaired\(consequence)")
    case .made(let file, let repairs, let backup)?:
      lines.append("  repaired, in \(onOneLine(file.path)):")
      lines += repairs.map(line)
      if let backup { lines.append("  the store as it was: \(onOneLine(backup.path))") }
      if let remaining = diagnosis.remaining { lines += findings(remaining, "check after the repair") }
    }
    return lines
  }

  private func line(of repair: StoreRepair) -> String {
    let text = "\(onOneLine(repair.subject)): \(onOneLine(repair.words))"
    return repair.failure.map { terminal.styled("    failed: \(text): \(onOneLine($0))", .red) }
      ?? "    \(text)\(repair.rowCount.map { " (\(counted($0, "row")))" } ?? "")"
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
    let parts = [(errors, "error"), (shown.count - errors, "warning")].filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
    let rest = shown.count - Self.limit
    return ["  \(title): \(parts.joined(separator: ", "))"]
      + shown.prefix(Self.limit).map { finding in
        let isRepairable = finding.isRepairable ? " (can be repaired)" : ""
        return
          "    \(finding.severity.rawValue): \(onOneLine(finding.subject)): \(onOneLine(finding.problem))\(isRepairable)"
      } + (rest > 0 ? ["    … and \(rest) more; see store-tool check"] : [])
  }
}

extension ChangeDocument {
  fileprivate var line: String {
    let place = "entity \(quoted(entity))" + (property.map { ", property \(quoted($0))" } ?? "")
    return onOneLine("\(isLightweight ? "~" : "!") \(place) \(change)")
  }
}

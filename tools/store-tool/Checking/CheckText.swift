import ErrorReporting
import Foundation
import StoreInspection
import ToolConsole

/// The report as text.
struct CheckText {
  private let document: CheckDocument
  private let isVerbose: Bool
  private let terminal = Terminal.output
  /// The largest number of findings shown per rule; further findings are only counted.
  private static let limit = 5

  init(_ document: CheckDocument, isVerbose: Bool) {
    self.document = document
    self.isVerbose = isVerbose
  }

  func print() throws {
    if let error = document.error {
      Console.report([Message(severity: .error, file: document.store, line: nil, problem: onOneLine(error))])
      return
    }
    let groups = document.checks.flatMap(lines)
    let name = terminal.styled(onOneLine(document.store), .bold)
    try Console.print(
      (isVerbose ? [name] + groups + [verdict] : ["\(name): \(verdict)"] + groups).joined(separator: "\n"))
  }

  /// For example `58 of 63 rules hold, 5 had nothing to look at`.
  private var verdict: String {
    let (checks, lacking) = (document.checks, document.checks.count { $0.lacksModel })
    let failed = checks.count { $0.status == "failed" }
    let skipped = checks.count { $0.status == "skipped" && !$0.lacksModel }
    let done = checks.count - skipped - lacking
    func text(_ count: Int, _ word: String) -> String? {
      count == 0 ? nil : counted(count, word)
    }
    let found = [
      text(document.errorCount, "error"), text(document.warningCount, "warning"), text(document.noteCount, "note"),
    ].compactMap { $0 }
    var parts = [
      failed == 0
        ? terminal.styled("\(done) of \(checks.count) rules hold", lacking == 0 ? .green : .yellow)
        : terminal.styled("\(failed) of \(done) rules \(failed == 1 ? "is" : "are") broken", .red)
    ]
    if skipped > 0 { parts.append("\(skipped) had nothing to look at") }
    if lacking > 0 {
      let reason = checks.first { $0.lacksModel }?.reason.map { ": \(onOneLine($0))" } ?? ""
      parts.append("\(lacking) need the model\(reason)")
    }
    return parts.joined(separator: ", ") + (found.isEmpty ? "" : " (\(found.joined(separator: ", ")))")
      + (document.noteCount > 0 && !isVerbose ? "; --verbose shows the notes" : "")
  }

  private func lines(_ group: CheckDocument.Group) -> [String] {
    let shown = group.findings.filter { isVerbose || $0.severity != CheckFinding.Severity.note.rawValue }
    guard isVerbose || !shown.isEmpty else { return [] }
    let (word, style): (String, Terminal.Style) =
      switch group.status {
      case "failed": ("FAIL", .red)
      case "ok": ("ok  ", .green)
      default: ("skip", .plain)
      }
    let amount = group.reason ?? (group.failed > 0 ? "\(group.failed) of \(group.checked)" : "\(group.checked)")
    let fact = group.fact.padding(toLength: 7, withPad: " ", startingAt: 0)
    let source = isVerbose ? fact + " " : ""
    var lines = ["\(terminal.styled(word, style))  \(source)\(group.title)\(amount.isEmpty ? "" : "  (\(amount))")"]
    let limit = isVerbose ? shown.count : CheckText.limit
    var repair: String?
    for finding in shown.prefix(limit) {
      if finding.repair != repair, let repair { lines.append("      → \(onOneLine(repair))") }
      lines.append("      \(finding.severity): \(onOneLine(finding.subject)): \(onOneLine(finding.problem))")
      repair = finding.repair
    }
    if let repair { lines.append("      → \(onOneLine(repair))") }
    let rest = shown.count - min(limit, shown.count) + group.omittedFindings
    return rest > 0 ? lines + ["      … and \(rest) more"] : lines
  }
}

import ArgumentParser
import CoreDataStore
import ErrorReporting
import Foundation
import StoreInspection
import ToolConsole

/// `store-tool check STORE…`
struct Check: StoreCommand {
  static let configuration = CommandConfiguration(
    abstract: "Checks stores against their own model and the facts of the format.",
    discussion: """
      The report counts the rules that hold, and shows each rule that something was found for. With --verbose, each rule \
      is a line: ok, FAIL, or skip if the store has nothing to check, and the fact of the format it comes from. Without \
      a model, most rules have nothing to compare a store with; the report says so. An error is a state that Core Data never writes. A warning is a leftover of Core Data or of an \
      application, such as a key of a deleted object. A note is a trace of a migration or an old framework. A line with \
      an arrow says how to repair the finding.

      Stores are only read: no file is changed, and none is created beside them.

      EXAMPLES
        store-tool check Library.sqlite
        store-tool check Backups --verbose
        store-tool check Old.sqlite --model Library.xcdatamodeld --json

      EXIT CODES
        0  no store has errors
        1  a store has errors
        2  a store, or a file or folder among those to search, cannot be opened
      """)

  @Argument(help: "Stores, and folders to search for stores.", transform: parsePath) var stores: [String]
  @OptionGroup var candidates: ModelArguments
  @Flag(name: [.long, .customLong("fresh")], help: "Also report what only a migrated or old store shows.")
  var strict = false
  @Flag(help: "Print every rule, every finding and the notes.") var verbose = false
  @Flag(help: "Print JSON.") var json = false

  func perform() throws {
    let models = try candidates.read()
    let found = try StoreSearch.stores(at: stores)
    var documents: [CheckDocument] = []
    for (position, store) in found.enumerated() {
      let place = found.count > 1 ? " (\(position + 1) of \(found.count))" : ""
      let document = Progress.shared.during("checking \(store.url.lastPathComponent)\(place)") {
        CheckDocument(store.path) {
          if let obstacle = store.obstacle {
            throw Failure(store.url, line: nil, obstacle.problem, remedy: obstacle.remedy)
          }
          return try StoreChecker.report(store.url, candidates: models.versions, isStrict: strict)
        }
      }
      // A database in a folder may belong to another program.
      if !store.isNamed, document.isForeign { continue }
      documents.append(document)
      if !json { try CheckText(document, isVerbose: verbose).print() }
    }
    if json { try Console.print(json: documents) }
    if documents.isEmpty {
      throw Failure(
        URL(fileURLWithPath: stores.first ?? "."), line: nil, "there is no store in it",
        remedy: "name a store, or its folder")
    }
    if documents.contains(where: { $0.error != nil }) { throw ExitCode(2) }
    if documents.contains(where: { $0.errorCount > 0 }) { throw ExitCode(1) }
  }
}

/// The result for one store, in the form of the JSON output.
struct CheckDocument: Encodable {
  let store: String
  /// `ok`, `failed`, `incomplete` if no rule failed but the model is not known, or `unreadable`.
  let status: String
  /// The reason why the store cannot be opened.
  let error: String?
  let errorCount: Int
  let warningCount: Int
  let noteCount: Int
  let checks: [Group]
  /// Whether the file is a database, but not a store.
  let isForeign: Bool

  struct Group: Encodable {
    let id: String
    let fact: String
    let title: String
    /// `ok`, `failed` or `skipped`.
    let status: String
    let checked: Int
    let failed: Int
    let reason: String?
    /// Whether nothing was checked because the store's model is not known.
    let lacksModel: Bool
    let findings: [Finding]
    let omittedFindings: Int
  }

  struct Finding: Encodable {
    let severity: String
    let subject: String
    let problem: String
    /// The repair; `nil` if it requires an investigation.
    let repair: String?
  }

  private enum CodingKeys: String, CodingKey {
    case store, status, error, errorCount, warningCount, noteCount, checks
  }

  init(_ path: String, _ check: () throws -> CheckReport) {
    store = path
    do {
      let report = try check()
      func count(_ severity: CheckFinding.Severity) -> Int { report.groups.reduce(0) { $0 + $1.count(severity) } }
      (errorCount, warningCount, noteCount) = (count(.error), count(.warning), count(.note))
      status = !report.isSound ? "failed" : report.isComplete ? "ok" : "incomplete"
      (error, isForeign) = (nil, false)
      checks = report.groups.map { group in
        Group(
          id: group.rule.rawValue, fact: group.rule.fact, title: group.rule.title, status: group.status.rawValue,
          checked: group.checked, failed: group.failed, reason: group.reason, lacksModel: group.lacksModel,
          findings: group.findings.map {
            Finding(severity: $0.severity.rawValue, subject: $0.subject, problem: $0.problem, repair: $0.repair)
          }, omittedFindings: group.omitted)
      }
    } catch {
      self.error = Failure(ofStoreTool: error).diagnostics.map(\.clauses).joined(separator: "; ")
      (errorCount, warningCount, noteCount, checks, status) = (0, 0, 0, [], "unreadable")
      isForeign = if case .notCoreData? = (error as? StoreError)?.kind { true } else { false }
    }
  }
}

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
      count == 0 ? nil : "\(count) \(word)\(count == 1 ? "" : "s")"
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

import CoreDataStore
import StoreInspection
import ToolConsole

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

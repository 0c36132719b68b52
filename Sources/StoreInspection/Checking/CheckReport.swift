import CoreDataStore

/// The result of a store's check.
package struct CheckReport: Sendable, Hashable {
  /// A group for each rule, in the order of ``CheckRule``.
  package let groups: [Group]

  /// The result of one rule: numbers and findings.
  package struct Group: Sendable, Hashable {
    package let rule: CheckRule
    /// The number of rows, values or definitions that were checked.
    package internal(set) var checked = 0
    /// The number of errors among them.
    package internal(set) var failed = 0
    package internal(set) var findings: [CheckFinding] = []
    /// The number of findings beyond ``limit``, which are not listed.
    package internal(set) var omitted = 0
    /// The reason why nothing was checked; `nil` if something was.
    package internal(set) var reason: String?
    /// Whether nothing was checked because the store's model is not known.
    package internal(set) var lacksModel = false

    /// The most findings of one rule that are listed.
    static let limit = 1_000

    package enum Status: String, Sendable, Hashable { case ok, failed, skipped }

    package var status: Status { failed > 0 ? .failed : checked > 0 ? .ok : .skipped }

    package func count(_ severity: CheckFinding.Severity) -> Int { findings.count { $0.severity == severity } }
  }

  package var findings: [CheckFinding] { groups.flatMap(\.findings) }
  package var errors: [CheckFinding] { findings.filter { $0.severity == .error } }
  /// Whether every rule was applied that has something to check. Without a model, most rules are not.
  package var isComplete: Bool { !groups.contains(where: \.lacksModel) }
  package var isSound: Bool { groups.allSatisfy { $0.failed == 0 } }
}

import CoreDataStore

/// What a check of one store looked at, and what it found.
package struct CheckReport: Sendable, Hashable {
  /// In the order of ``CheckRule``.
  package let groups: [Group]

  /// One rule: how much was looked at, and what came of it.
  package struct Group: Sendable, Hashable {
    package let rule: CheckRule
    /// How many rows, values or definitions were looked at.
    package internal(set) var checked = 0
    /// How many of them are errors.
    package internal(set) var failed = 0
    package internal(set) var findings: [CheckFinding] = []
    /// Findings beyond ``limit``, which are only counted.
    package internal(set) var omitted = 0
    /// Why nothing was looked at; `nil` where something was.
    package internal(set) var reason: String?

    /// More findings of one rule than that say nothing new.
    static let limit = 1_000

    package enum Status: String, Sendable, Hashable { case ok, failed, skipped }

    package var status: Status { failed > 0 ? .failed : checked > 0 ? .ok : .skipped }

    package func count(_ severity: CheckFinding.Severity) -> Int { findings.count { $0.severity == severity } }
  }

  package var findings: [CheckFinding] { groups.flatMap(\.findings) }
  package var errors: [CheckFinding] { findings.filter { $0.severity == .error } }
  package var isSound: Bool { groups.allSatisfy { $0.failed == 0 } }
}

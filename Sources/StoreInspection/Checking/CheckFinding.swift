import CoreDataStore

/// A finding of a store's check.
package struct CheckFinding: Sendable, Hashable {
  package let rule: CheckRule
  package let severity: Severity
  /// The table, entity or column with the problem.
  package let subject: String
  package let problem: String
  /// The repair; `nil` if it depends on a closer look.
  package let repair: String?
  /// Whether ``StoreRepair`` makes the repair.
  package internal(set) var isRepairable: Bool

  package enum Severity: String, Sendable, Hashable, CaseIterable {
    /// Core Data never writes this.
    case error
    /// Core Data leaves it behind, or an application caused it: data may be missing, nothing breaks.
    case warning
    /// A harmless trace of a migration, of an old framework, or of an application.
    case note
  }

  /// The fact of the format that is broken, for example CD-3.1.
  package var fact: String { rule.fact }
}

extension CheckFinding: CustomStringConvertible {
  package var description: String { "\(fact) \(subject): \(problem)" }
}

import CoreDataStore

/// One thing that a check of a store found.
package struct CheckFinding: Sendable, Hashable {
  package let rule: CheckRule
  package let severity: Severity
  /// The table, entity or column it is about.
  package let subject: String
  package let problem: String
  /// What puts it right; `nil` where nobody can say without looking closer.
  package let repair: String?

  package enum Severity: String, Sendable, Hashable, CaseIterable {
    /// No store that Core Data wrote shows it.
    case error
    /// Core Data leaves it behind, or an application did it: data may be missing, nothing breaks.
    case warning
    /// A trace of a migration, of an old framework, or of an application; all is well.
    case note
  }

  /// The fact it breaks, for example CD-3.1.
  package var fact: String { rule.fact }
}

extension CheckFinding: CustomStringConvertible {
  package var description: String { "\(fact) \(subject): \(problem)" }
}

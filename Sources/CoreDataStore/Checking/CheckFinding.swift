/// One thing that a check of a store found: something no sound store shows.
package struct CheckFinding: Sendable, Hashable {
  /// The fact it breaks, for example CD-3.1.
  package let fact: String
  /// The table, entity or column it is about.
  package let subject: String
  package let problem: String

  package init(_ fact: String, _ subject: String, _ problem: String) {
    self.fact = fact
    self.subject = subject
    self.problem = problem
  }
}

extension CheckFinding: CustomStringConvertible {
  package var description: String { "\(fact) \(subject): \(problem)" }
}

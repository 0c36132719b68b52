import ErrorReporting

/// A name in a mapping model that its models do not have.
package struct MappingIssue: ReportableError, Sendable, Hashable {
  package let mapping: String
  package let entityMapping: String
  package let name: String
  /// A clause that follows the name.
  let clause: String
  let nearest: String?

  init(mapping: String, entityMapping: String, name: String, problem: String, candidates: [String]) {
    self.mapping = mapping
    self.entityMapping = entityMapping
    self.name = name
    clause = problem
    nearest = nearestName(to: name, in: candidates)
  }

  package var problem: String {
    "the mapping model \(quoted(mapping)), entity mapping \(quoted(entityMapping)): \(quoted(name)) \(clause)"
      + suggestion(nearest)
  }

  package var remedy: String? { "update the mapping model to its models in Xcode, or correct the name" }
}

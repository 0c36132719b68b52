/// A walk from a variable's row along to-one relationships.
package struct FetchPath: Sendable, Hashable {
  package var variable: FetchVariable
  /// The relationships in the order walked; empty for the variable's own row.
  package private(set) var steps: [Step]
  /// A cast (`as?`) of the last row: if it is not of this subentity, its properties are `NULL`.
  package var castTo: String?

  /// A to-one relationship that a path follows.
  package struct Step: Sendable, Hashable {
    package let relationship: String
    /// The subentity that declares the relationship, if the row before the step is cast; a row of another entity leads to no row.
    package let castTo: String?
  }

  /// - Parameter relationships: the names of relationships that are followed without casts between them.
  package init(_ variable: FetchVariable = .root, relationships: [String] = [], castTo: String? = nil) {
    self.variable = variable
    steps = relationships.map { Step(relationship: $0, castTo: nil) }
    self.castTo = castTo
  }

  /// The names of the relationships, in the order walked.
  package var relationships: [String] { steps.map(\.relationship) }

  /// Follows a relationship of the last row, or of the subentity to which the last row is cast.
  package mutating func follow(_ relationship: String) {
    steps.append(Step(relationship: relationship, castTo: castTo))
    castTo = nil
  }

  /// The first steps, without the cast of the row to which they lead.
  package func prefix(_ count: Int) -> FetchPath {
    var path = FetchPath(variable)
    path.steps = Array(steps.prefix(count))
    return path
  }
}

/// A fetch of values instead of objects: of each row, of each group of rows, or of all rows together.
///
///     // The number of books of each author, the largest number first.
///     ValueRequest(
///       entityName: "Book", values: [.object(author), .groupCount], groups: [.object(author)],
///       sortTerms: [SortTerm(expression: .groupCount, isAscending: false)])
package struct ValueRequest: Sendable, Hashable {
  package var entityName: String
  /// Whether rows of subentities count; they do by default.
  package var includesSubentities: Bool
  /// Which rows count; `nil` for all.
  package var predicate: FetchExpression?
  /// Which rows count if the engine decides about the predicate only in part; not ``Certainty/possible`` then.
  package var certainty = Certainty.possible
  /// The values to read, in this order. An object takes two columns of the result, its key and entity; any other value takes one.
  ///
  /// If there are groups, or an aggregate among the values, each value consists of aggregates and of expressions in ``groups``.
  package var values: [FetchExpression]
  /// Whether equal rows of the result occur once.
  package var isDistinct: Bool
  /// The expressions whose values the rows of one group share. Without groups, aggregates are over all rows.
  package var groups: [FetchExpression]
  /// A condition on groups, which may contain aggregates.
  package var groupPredicate: FetchExpression?
  /// The order. Rows that compare as equal are ordered by key, groups by ``groups``, and distinct rows by their values.
  package var sortTerms: [SortTerm]
  package var limit: Int?
  package var offset: Int?

  package init(
    entityName: String, includesSubentities: Bool = true, predicate: FetchExpression? = nil, values: [FetchExpression],
    isDistinct: Bool = false, groups: [FetchExpression] = [], groupPredicate: FetchExpression? = nil,
    sortTerms: [SortTerm] = [], limit: Int? = nil, offset: Int? = nil
  ) {
    self.entityName = entityName
    self.includesSubentities = includesSubentities
    self.predicate = predicate
    self.values = values
    self.isDistinct = isDistinct
    self.groups = groups
    self.groupPredicate = groupPredicate
    self.sortTerms = sortTerms
    self.limit = limit
    self.offset = offset
  }

  /// Whether the rows of the result stand for groups, or for all rows together.
  package var isGrouped: Bool { !groups.isEmpty || values.contains(where: \.isAggregate) }
}

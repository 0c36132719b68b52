/// Values to read instead of objects: of each row, of each group of rows, or of all rows together.
///
///     // How many books each author has, those with most first.
///     ValueRequest(
///       entityName: "Book", values: [.object(author), .groupCount], groups: [.object(author)],
///       sortTerms: [SortTerm(expression: .groupCount, isAscending: false)])
package struct ValueRequest: Sendable, Hashable {
  package var entityName: String
  /// Whether rows of subentities count; they do by default.
  package var includesSubentities: Bool
  /// Which rows count; `nil` for all.
  package var predicate: FetchExpression?
  /// What to read, in this order. An object takes two columns of the result (key and entity), all else one.
  ///
  /// With groups, or an aggregate among the values, each has to be an aggregate, one of ``groups``, or made of such.
  package var values: [FetchExpression]
  /// Whether equal rows of the result are given once.
  package var isDistinct: Bool
  /// What the rows of one group have in common; without any, aggregates are over all rows.
  package var groups: [FetchExpression]
  /// Which groups are given; it may speak of aggregates.
  package var groupPredicate: FetchExpression?
  /// The order; what it does not settle is settled by key, by ``groups``, or of distinct rows by the values themselves.
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

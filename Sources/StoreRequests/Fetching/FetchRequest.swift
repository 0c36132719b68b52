/// What to fetch, as a tree of values; ``SQLGeneration`` prints it.
///
/// Equal requests give equal SQL. Names are the persistent names of the model, never columns.
package struct FetchRequest: Sendable, Hashable {
  package var entityName: String
  /// Whether rows of subentities belong to the result; they do by default.
  package var includesSubentities: Bool
  /// `nil` for every row.
  package var predicate: FetchExpression?
  package var sortTerms: [SortTerm]
  package var limit: Int?
  package var offset: Int?
  /// What to read of every row after its key, entity and version, in this order; each takes its fixed number of columns
  /// (see ``ColumnSelection``).
  package var columns: [ColumnSelection]

  package init(
    entityName: String, includesSubentities: Bool = true, predicate: FetchExpression? = nil,
    sortTerms: [SortTerm] = [], limit: Int? = nil, offset: Int? = nil, columns: [ColumnSelection] = []
  ) {
    self.entityName = entityName
    self.includesSubentities = includesSubentities
    self.predicate = predicate
    self.sortTerms = sortTerms
    self.limit = limit
    self.offset = offset
    self.columns = columns
  }
}

/// A property of an entity whose stored value is to be read.
///
/// Width in result columns: an attribute 1; a composite one per leaf, in declared order; a to-one relationship 2, the
/// destination's key and its entity number (the constant number where the table keeps no entity column, CD-3.1); a to-many
/// relationship, a transient attribute and a fetched property 0.
package struct ColumnSelection: Sendable, Hashable {
  /// The entity that has the property: the fetched entity, or a subentity.
  package var entityName: String
  package var propertyName: String

  package init(entityName: String, propertyName: String) {
    self.entityName = entityName
    self.propertyName = propertyName
  }
}

/// One criterion of a sort: the value of an expression, `NULL` first when ascending, as SQLite and Core Data have it.
package struct SortTerm: Sendable, Hashable {
  package var expression: FetchExpression
  package var isAscending: Bool
  package var collation: Collation

  package init(expression: FetchExpression, isAscending: Bool = true, collation: Collation = .binary) {
    self.expression = expression
    self.isAscending = isAscending
    self.collation = collation
  }

  /// How strings compare.
  package enum Collation: Sendable, Hashable {
    /// As Swift compares values: strings by their scalars when composed (NFC).
    case binary
    /// As `String.StandardComparator.localizedStandard` compares.
    case localizedStandard
    /// As `String.StandardComparator.localized` compares.
    case localized
  }
}

/// A fetch of rows, as a tree of values.
///
/// Names are the names of the model, never of columns. An engine that prints SQL prints equal text for equal requests.
package struct FetchRequest: Sendable, Hashable {
  package var entityName: String
  /// Whether rows of subentities belong to the result; they do by default.
  package var includesSubentities: Bool
  /// `nil` for every row.
  package var predicate: FetchExpression?
  /// Which rows are meant if the engine decides about the predicate only in part.
  package var certainty = Certainty.possible
  /// A full-text condition besides the predicate; only engines with ``StoreCapabilities/search`` get one. The rows of a request
  /// without sort terms are then in the order of relevance.
  package var search: TextCondition?
  package var sortTerms: [SortTerm]
  package var limit: Int?
  package var offset: Int?
  /// The properties to read of each row, in this order. Each takes a fixed number of columns; see ``ColumnSelection``.
  package var columns: [ColumnSelection]

  package init(
    entityName: String, includesSubentities: Bool = true, predicate: FetchExpression? = nil,
    search: TextCondition? = nil, sortTerms: [SortTerm] = [], limit: Int? = nil, offset: Int? = nil,
    columns: [ColumnSelection] = []
  ) {
    self.entityName = entityName
    self.includesSubentities = includesSubentities
    self.predicate = predicate
    self.search = search
    self.sortTerms = sortTerms
    self.limit = limit
    self.offset = offset
    self.columns = columns
  }
}

/// Rows by what an engine knows of a condition about which it decides only in part; see ``StoreEngine/decides(_:entityName:)``.
package enum Certainty: Sendable, Hashable {
  /// The rows for which the condition may be true.
  case possible
  /// The rows for which it is true.
  case certain
  /// The rows for which it may be true or false.
  case open
}

/// A property to read or to write.
///
/// Width in result columns: an attribute 1; a composite one per leaf, in declared order; a to-one relationship 2, the
/// destination's key and its entity number; a to-many relationship, a transient attribute and a fetched property 0.
package struct ColumnSelection: Sendable, Hashable {
  /// The entity that has the property: the fetched entity, or a subentity.
  package var entityName: String
  package var propertyName: String

  package init(entityName: String, propertyName: String) {
    self.entityName = entityName
    self.propertyName = propertyName
  }
}

/// One criterion of a sort: the value of an expression. `NULL` comes first in ascending order, as in SQLite and Core Data.
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

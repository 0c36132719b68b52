/// An expression over rows: predicates and the values in them.
///
/// Equality is null-safe, as in Swift: `nil == nil` is true. Strings compare as in Swift, by canonical equivalence. A foreign key
/// without a row is `NULL`. A condition that is `NULL` is false, at the top and under ``not(_:)``. So an expression and its
/// negation never select the same row.
package indirect enum FetchExpression: Sendable, Hashable {
  case constant(StoreValue)
  /// An attribute of the object at the end of a path; `NULL` if there is no object. `element` names the elements of a composite,
  /// from the outermost in.
  case attribute(FetchPath, name: String, element: [String])
  /// The identity of the object at the end of a path. It can be compared with another identity, or tested with ``isNull(_:)``.
  case object(FetchPath)
  /// The identity of a known object. An object without a row equals no object.
  case objectConstant(ObjectKey?)
  /// The number of members of a to-many relationship that satisfy the condition.
  case count(FetchPath, relationship: String, variable: FetchVariable, condition: FetchExpression?)
  /// Whether a member of a to-many relationship satisfies the condition.
  case exists(FetchPath, relationship: String, variable: FetchVariable, condition: FetchExpression?)
  /// An aggregate of an expression over the members of a to-many relationship; `NULL` if there is no member (`sum` is 0).
  case aggregate(
    Aggregate, FetchPath, relationship: String, variable: FetchVariable, of: FetchExpression)
  /// The number of rows in a group; in a ``ValueRequest`` only.
  case groupCount
  /// An aggregate over the rows of a group; in a ``ValueRequest`` only. `NULL` if there is no value (`sum` and `count` are 0).
  case groupAggregate(Aggregate, of: FetchExpression, isDistinct: Bool)
  case comparison(Comparison, FetchExpression, FetchExpression)
  case and([FetchExpression])
  case or([FetchExpression])
  case not(FetchExpression)
  case isNull(FetchExpression)
  /// Whether a value is one of the constants; `NULL` in the list matches `NULL`.
  case membership(FetchExpression, [StoreValue])
  /// Whether the identity of an object is among the keys.
  case objectMembership(FetchPath, [ObjectKey])
  case arithmetic(Arithmetic, FetchExpression, FetchExpression)
  case negative(FetchExpression)
  /// Whether a computed number is an integer in a range. SQLite computes on in floating point if an integer needs more than
  /// 64 bits.
  case isInteger(FetchExpression, in: ClosedRange<Int64>)
  /// The first operand, or the second where the first is `NULL`.
  case coalesce(FetchExpression, FetchExpression)
  case conditional(FetchExpression, then: FetchExpression, otherwise: FetchExpression)
  /// A function of strings; see ``StringFunction``.
  case string(StringFunction, [FetchExpression])
  /// Whether an array that an attribute has as a keyed archive contains a value; `NULL` if there is no array. For engines with
  /// ``StoreCapabilities/collections``.
  case contains(FetchExpression, element: FetchExpression)
  /// The number of elements of an array that an attribute has as a keyed archive. For engines with ``StoreCapabilities/collections``.
  case elementCount(FetchExpression)
  /// Whether the object at the end of a path is of the entity or of one of its subentities.
  case isKind(FetchPath, entityName: String)

  package enum Comparison: Sendable, Hashable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  }

  package enum Arithmetic: Sendable, Hashable {
    case add, subtract, multiply, divide, remainder
  }

  package enum Aggregate: Sendable, Hashable {
    /// `count` counts the values that are not `NULL`.
    case minimum, maximum, sum, average, count
  }
}

/// A row that an expression reads: the fetched row, or a member that a quantifier ranges over.
package struct FetchVariable: Sendable, Hashable {
  package var number: Int

  package init(_ number: Int) { self.number = number }

  /// The row being fetched.
  package static let root = FetchVariable(0)
}

/// An expression over rows: predicates and the values in them.
///
/// Equality is null-safe (`nil == nil` is true), as in Swift. Strings are equal, and have an order, as Swift's have: by
/// canonical equivalence. A foreign key that leads to no row counts as `NULL`. `NULL` as a truth value counts as false at the top and under
/// ``not(_:)``, so that an expression and its negation never both select a row.
package indirect enum FetchExpression: Sendable, Hashable {
  case constant(StoreValue)
  /// An attribute of the object a path leads to; `element` names the way into a composite. `NULL` if the path leads nowhere.
  case attribute(FetchPath, name: String, element: [String])
  /// The identity of the object a path leads to; compare with another identity, or test with ``isNull(_:)``.
  case object(FetchPath)
  /// The identity of a known object; one whose row does not exist equals nothing.
  case objectConstant(ObjectKey?)
  /// The number of objects a to-many relationship holds that satisfy the condition.
  case count(FetchPath, relationship: String, variable: FetchVariable, condition: FetchExpression?)
  /// Whether a to-many relationship holds an object that satisfies the condition.
  case exists(FetchPath, relationship: String, variable: FetchVariable, condition: FetchExpression?)
  /// An aggregate of an expression over the objects of a to-many relationship; `NULL` if there is none (`sum` is 0).
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
  /// Whether a computed number is an integer in a range. SQLite goes on with a floating-point number where an integer does not
  /// fit 64 bits.
  case isInteger(FetchExpression, in: ClosedRange<Int64>)
  /// The first operand, or the second where the first is `NULL`.
  case coalesce(FetchExpression, FetchExpression)
  case conditional(FetchExpression, then: FetchExpression, otherwise: FetchExpression)
  /// A function of strings; see ``StringFunction``.
  case string(StringFunction, [FetchExpression])
  /// Whether the object a path leads to is of the entity or of a subentity of it.
  case isKind(FetchPath, entityName: String)

  package enum Comparison: Sendable, Hashable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  }

  package enum Arithmetic: Sendable, Hashable {
    case add, subtract, multiply, divide, remainder
  }

  package enum Aggregate: Sendable, Hashable {
    /// `count` counts what is not `NULL`.
    case minimum, maximum, sum, average, count
  }
}

/// A row an expression speaks of: the fetched one, or one that a quantifier ranges over.
package struct FetchVariable: Sendable, Hashable {
  package var number: Int

  package init(_ number: Int) { self.number = number }

  /// The row being fetched.
  package static let root = FetchVariable(0)
}

/// A walk from a variable's row along to-one relationships.
package struct FetchPath: Sendable, Hashable {
  package var variable: FetchVariable
  /// Names of to-one relationships, in the order walked; empty for the variable's own row.
  package var relationships: [String]
  /// A subentity that the last row has to be of for its properties to count (`as?`); `NULL` otherwise.
  package var castTo: String?

  package init(_ variable: FetchVariable = .root, relationships: [String] = [], castTo: String? = nil) {
    self.variable = variable
    self.relationships = relationships
    self.castTo = castTo
  }
}

internal import StoreRequests

/// A part of a predicate in terms of the store.
enum StoreTerm {
  /// A value that is known before the fetch, including `nil`.
  case constant(Any)
  /// The value of a column, or of a computation over columns, for each row.
  case value(FetchExpression)
  /// The object at the end of a path.
  case object(ObjectTerm)
  /// The objects of a to-many relationship.
  case objects(ObjectsTerm)
  /// An attribute with several columns.
  case composite(CompositeTerm)
  /// A range with bounds that the predicate computes.
  indirect case range(lower: StoreTerm, upper: StoreTerm, includesUpper: Bool)
  /// A stored value that the store cannot inspect, except for `nil`.
  case opaque(FetchExpression)
}

/// The object at the end of a path.
struct ObjectTerm {
  var path: FetchPath
  var type: any PersistentModel.Type
}

/// The objects of a to-many relationship that satisfy a condition.
struct ObjectsTerm {
  /// The path to the object that has the relationship.
  var owner: FetchPath
  var relationship: String
  var type: any PersistentModel.Type
  /// The name of a related object in ``condition``.
  var variable: FetchVariable
  var condition: FetchExpression?

  /// The number of objects.
  var count: FetchExpression {
    .count(owner, relationship: relationship, variable: variable, condition: condition)
  }

  /// Whether there is any object.
  var exists: FetchExpression {
    .exists(owner, relationship: relationship, variable: variable, condition: condition)
  }

  /// The objects that satisfy another condition as well.
  func filtered(by more: FetchExpression) -> ObjectsTerm {
    var result = self
    result.condition = condition.map { .conjunction([$0, more]) } ?? more
    return result
  }
}

/// An attribute, or an element of one, with several columns.
struct CompositeTerm {
  var path: FetchPath
  var name: String
  /// The path from the attribute to this element.
  var element: [String]
  var description: CompositeDescription

  /// The columns' values, in the order of ``CompositeDescription/leaves``.
  var values: [FetchExpression] {
    description.leaves.map { .attribute(path, name: name, element: element + $0) }
  }
}

/// The leaves of a value with several columns.
struct CompositeDescription {
  /// The paths from the composite to its leaves, in the order of columns.
  var leaves: [[String]]
  /// Returns the values of the leaves for a value of the composite's type, and `nil` for a value of another type. It is
  /// `nil` if only the elements can be compared.
  var encode: ((Any) throws -> [StoreValue]?)?
  /// The leaves that the store cannot inspect.
  var opaque: Set<[String]> = []
  /// Whether key paths lead to the leaves. None leads into an enumeration.
  var hasElements = true
}

internal import StoreRequests

/// What a part of a predicate means to the store.
enum StoreTerm {
  /// A value known before the fetch, `nil` included.
  case constant(Any)
  /// A value that a column, or a computation over columns, gives for each row.
  case value(FetchExpression)
  /// The object a path leads to.
  case object(ObjectTerm)
  /// Objects of a to-many relationship.
  case objects(ObjectsTerm)
  /// An attribute that takes several columns.
  case composite(CompositeTerm)
  /// A range whose bounds the predicate computes.
  indirect case range(lower: StoreTerm, upper: StoreTerm, includesUpper: Bool)
  /// A stored value that the store cannot look into; only whether it is `nil` can be asked.
  case opaque(FetchExpression)
}

/// The object a path leads to.
struct ObjectTerm {
  var path: FetchPath
  var type: any PersistentModel.Type
}

/// The objects of a to-many relationship that meet a condition.
struct ObjectsTerm {
  /// Leads to the object that has the relationship.
  var owner: FetchPath
  var relationship: String
  var type: any PersistentModel.Type
  /// What ``condition`` calls the object it speaks of.
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

  /// The objects that meet another condition as well.
  func filtered(by more: FetchExpression) -> ObjectsTerm {
    var result = self
    result.condition = condition.map { .conjunction([$0, more]) } ?? more
    return result
  }
}

/// An attribute, or an element of one, that takes several columns.
struct CompositeTerm {
  var path: FetchPath
  var name: String
  /// Leads from the attribute to the element this is.
  var element: [String]
  var description: CompositeDescription

  /// The columns' values, in the order of ``CompositeDescription/leaves``.
  var values: [FetchExpression] {
    description.leaves.map { .attribute(path, name: name, element: element + $0) }
  }
}

/// How a value that takes several columns is taken apart.
struct CompositeDescription {
  /// Ways from the composite to its leaves, in the order of columns.
  var leaves: [[String]]
  /// The values of the leaves for a value of the composite's type, `nil` if it is not of that type; no function where only
  /// the elements can be compared.
  var encode: ((Any) throws -> [StoreValue]?)?
  /// The leaves that the store cannot look into.
  var opaque: Set<[String]> = []
}

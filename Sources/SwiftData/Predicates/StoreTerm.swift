internal import CoreDataStore

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
}

extension FetchExpression {
  /// A condition that every row meets, or none.
  static func truth(_ value: Bool) -> FetchExpression { .constant(.integer(value ? 1 : 0)) }

  /// Whether the expression is the same condition for every row.
  var constantTruth: Bool? {
    switch self {
    case .constant(.integer(let value)): value != 0
    case .constant(.null): false
    default: nil
    }
  }

  /// All of the conditions, simplified.
  static func conjunction(_ terms: [FetchExpression]) -> FetchExpression {
    if terms.contains(where: { $0.constantTruth == false }) { return .truth(false) }
    let open = terms.filter { $0.constantTruth == nil }
    return open.count == 1 ? open[0] : open.isEmpty ? .truth(true) : .and(open)
  }

  /// Any of the conditions, simplified.
  static func disjunction(_ terms: [FetchExpression]) -> FetchExpression {
    if terms.contains(where: { $0.constantTruth == true }) { return .truth(true) }
    let open = terms.filter { $0.constantTruth == nil }
    return open.count == 1 ? open[0] : open.isEmpty ? .truth(false) : .or(open)
  }

  /// The opposite of a condition, simplified.
  static func negation(_ term: FetchExpression) -> FetchExpression {
    if let truth = term.constantTruth { return .truth(!truth) }
    if case .not(let inner) = term { return inner }
    return .not(term)
  }

  /// The expression as a value: a condition on what is `NULL` is false then, where SQL would have `NULL`.
  var definite: FetchExpression {
    switch self {
    case .comparison, .membership, .objectMembership, .isKind: .and([self])
    default: self
    }
  }

  /// Whether the expression is true or false for each row by its form, so that it may be negated and joined with others.
  var isCondition: Bool {
    switch self {
    case .comparison, .and, .or, .not, .isNull, .exists, .membership, .objectMembership, .isKind: true
    default: false
    }
  }
}

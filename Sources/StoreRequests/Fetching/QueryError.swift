import ErrorReporting
import ManagedModel

/// The reason why a fetch or a save has no SQL form.
package enum QueryError: ReportableError, Sendable, Hashable {
  case unknownEntity(name: String, nearest: String?)
  case unknownEntityNumber(Int32)
  case unknownProperty(name: String, entity: String, nearest: String?)
  /// The property exists, but is of another kind than the expression requires.
  case wrongKind(property: String, entity: String, expected: Expected)
  case unknownVariable(Int)
  case wrongArgumentCount(StringFunction, Int)
  case identitiesHaveNoOrder
  case tooDeep(limit: Int)
  case tooManyPaths(limit: Int)
  /// An aggregate in a request without groups.
  case noGroups
  /// A value that may differ between the rows of a group.
  case differsInGroup
  case noValues
  case keysOfDifferentTables(String, String)
  case missingValue(property: String, entity: String)
  /// A condition on the elements of an archived collection, over an engine that keeps archives as they are.
  case archivedCollection

  package enum Expected: String, Sendable, Hashable {
    case attribute, compositeElement, toOne, toMany
  }
}

extension QueryError {
  package var problem: String { phrase.problem }
  package var remedy: String? { phrase.remedy }

  private var phrase: (problem: String, remedy: String?) {
    switch self {
    case .unknownEntity(let name, let nearest):
      ("the store has no entity \(quoted(name))\(suggestion(nearest))", nil)
    case .unknownEntityNumber(let number):
      (
        "the store has no entity numbered \(number)", "the identifier belongs to another store or version of the model"
      )
    case .unknownProperty(let name, let entity, let nearest):
      ("entity \(quoted(entity)) has no stored property \(quoted(name))\(suggestion(nearest))", nil)
    case .wrongKind(let property, let entity, let expected):
      ("property \(quoted(property)) of entity \(quoted(entity)) is used as \(expected.words)", expected.remedy)
    case .unknownVariable(let number):
      ("the expression uses variable \(number), which no quantifier around it declares", nil)
    case .wrongArgumentCount(let function, let count):
      ("the function \(function.rawValue) does not take \(count) arguments", nil)
    case .identitiesHaveNoOrder:
      ("objects can be equal, but have no order", "compare an attribute instead")
    case .tooDeep(let limit):
      (
        "the expression has more than \(limit) operations within one another",
        "split it, or fetch more and filter in memory"
      )
    case .tooManyPaths(let limit):
      ("the expression follows more than \(limit) to-one relationships", "split the request in two")
    case .noGroups:
      ("an aggregate, or a condition on one, is used without groups", "use it in a request for values, with groups")
    case .differsInGroup:
      (
        "a requested value may differ between the rows of a group",
        "group by it as well, or request an aggregate of it"
      )
    case .noValues: ("a request has no values", nil)
    case .keysOfDifferentTables(let first, let second):
      ("objects of \(quoted(first)) and of \(quoted(second)) are in different tables", "fetch them separately")
    case .missingValue(let property, let entity):
      ("the row to save has no value for property \(quoted(property)) of entity \(quoted(entity))", nil)
    case .archivedCollection: ("the store does not look into archived collections", "fetch more and filter in memory")
    }
  }
}

extension QueryError.Expected {
  fileprivate var words: String {
    switch self {
    case .attribute: "an attribute, which it is not"
    case .compositeElement: "one value, which it is not"
    case .toOne: "a to-one relationship, which it is not"
    case .toMany: "a to-many relationship, which it is not"
    }
  }

  fileprivate var remedy: String? {
    switch self {
    case .attribute: "name an attribute, or one of a to-one relationship's object, such as author.name"
    case .compositeElement: "name an element of the composite, down to a plain attribute"
    case .toOne: "name a to-one relationship; a path leads through these only"
    case .toMany: "name a to-many relationship"
    }
  }
}

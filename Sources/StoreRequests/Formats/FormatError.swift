import ErrorReporting
import ManagedModel

/// The reason why a predicate in `NSPredicate`'s format has no meaning for a store.
///
/// A name that the model lacks is a ``QueryError``.
package enum FormatError: ReportableError, Sendable, Hashable {
  /// The text as a whole is not understood.
  case notUnderstood
  case missingVariable(String)
  case unknownFunction(String, count: Int)
  case invalidPattern
  /// The store cannot evaluate a part of the predicate.
  case unsupported(part: String, reason: Reason)

  package enum Reason: Sendable, Hashable {
    case toManyNeedsQuantifier(String)
    case quantifierNeedsToMany
    case objectComparison
    case listComparison
    case betweenNeedsTwo
    case differentKinds
    case textOperatorNeedsTexts
    case opaqueAttribute(String)
    case noSubject
    case aggregateNeedsToMany(String)
    case unreadable(as: Readable, property: String)
  }

  /// The kinds of values that a text can stand for.
  package enum Readable: Sendable, Hashable { case date, uuid, bytes }
}

extension FormatError {
  package var problem: String {
    switch self {
    case .notUnderstood: "the predicate is not understood"
    case .missingVariable(let name): "the variable $\(name) has no value"
    case .unknownFunction(let name, let count):
      "there is no function \(quoted(name)) of \(counted(count, "argument"))"
    case .invalidPattern: "the pattern after MATCHES is no regular expression"
    case .unsupported(let part, let reason): "\(quoted(part)) cannot be evaluated: \(reason.problem)"
    }
  }

  package var remedy: String? {
    switch self {
    case .notUnderstood:
      "compare property paths, constants and $variables with NSPredicate's operators, "
        + "for example: name BEGINSWITH 'A' AND age > 3"
    case .unsupported(_, let reason): reason.remedy
    case .missingVariable: "give it one, or write the value in its place"
    case .unknownFunction: "write the condition without it"
    case .invalidPattern: "correct it; it has to match the whole text"
    }
  }
}

extension FormatError.Reason {
  fileprivate var problem: String {
    switch self {
    case .toManyNeedsQuantifier(let name): "\(quoted(name)) is a to-many relationship"
    case .quantifierNeedsToMany: "its left side leads through no to-many relationship"
    case .objectComparison: "an object can be compared with an object, a list of objects, or nil only"
    case .listComparison: "only IN and BETWEEN take a list"
    case .betweenNeedsTwo: "BETWEEN takes a list of two bounds"
    case .differentKinds: "its sides are of different kinds, such as a number and a text"
    case .textOperatorNeedsTexts: "its operator compares texts"
    case .opaqueAttribute(let name):
      "the values of \(quoted(name)) are stored in a form that the store cannot look into"
    case .noSubject: "SELF is an object here: name one of its properties"
    case .aggregateNeedsToMany(let name): "\(name) needs a to-many relationship followed by one attribute"
    case .unreadable(as: let form, let property):
      switch form {
      case .date: "\(quoted(property)) is a date: write it as \"2024-01-31T10:00:00Z\" or \"2024-01-31\""
      case .uuid: "\(quoted(property)) is a UUID: write it as its 36 characters"
      case .bytes: "\(quoted(property)) holds bytes: write them in hexadecimal"
      }
    }
  }

  fileprivate var remedy: String? {
    switch self {
    case .toManyNeedsQuantifier: "ask with ANY, ALL, NONE, CONTAINS or .@count"
    case .quantifierNeedsToMany: "leave out the quantifier"
    case .objectComparison: "compare one of its attributes, such as author.name"
    case .listComparison: "compare with one value, or by IN"
    case .betweenNeedsTwo: "write both, as in BETWEEN {1, 5}"
    case .differentKinds: "write texts in quotation marks, and numbers without"
    case .textOperatorNeedsTexts: "compare other values by =, <, >, IN or BETWEEN"
    case .opaqueAttribute: "compare with nil only"
    case .aggregateNeedsToMany: "write it as in chapters.@avg.pages"
    // The problem says how to write it.
    case .noSubject, .unreadable: nil
    }
  }
}

extension StringFunctions {
  /// - Throws: ``FormatError/invalidPattern`` for a text that is no regular expression.
  package static func check(pattern: String) throws(FormatError) {
    guard isPattern(pattern) else { throw .invalidPattern }
  }
}

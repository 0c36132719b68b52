import ErrorReporting
import ManagedModel

/// An object that differs between two stores, or exists in one of them only.
package struct ObjectDifference: Sendable {
  package enum Kind: String, Sendable { case changed, onlyInFirst, onlyInSecond }

  package let kind: Kind
  /// The object's name in each store; `nil` if the store lacks the object.
  package let first: ObjectName?
  package let second: ObjectName?
  /// The attribute values that matched the two objects; empty for a match by key.
  package let matched: [ExportValue.Element]
  /// The properties that differ; empty if only one store has the object.
  package let changes: [Change]

  package struct Change: Sendable {
    package let property: String
    package let first: ExportValue
    package let second: ExportValue
  }
}

/// The numbers that a comparison of two stores found.
package struct ComparisonSummary: Sendable, Hashable {
  package internal(set) var same = 0
  package internal(set) var changed = 0
  package internal(set) var onlyInFirst = 0
  package internal(set) var onlyInSecond = 0
  /// The texts of each store that were compared with U+FFFD in place of bytes that are not UTF-8.
  package internal(set) var repairedInFirst = RepairedTexts()
  package internal(set) var repairedInSecond = RepairedTexts()

  package var isSame: Bool { changed + onlyInFirst + onlyInSecond == 0 }
}

/// The way in which the objects of an entity are matched with objects of the other store.
package enum ObjectMatching: Sendable, Hashable {
  /// By key, for two states of one store.
  case key
  /// By the values of attributes, at least one of which is set.
  case attributes([String])
}

/// The reason why two stores cannot be compared as requested.
package enum ComparisonError: ReportableError, Sendable, Hashable {
  /// Values with several columns, or whose bytes only a transformer understands, cannot match objects.
  case notComparable(entity: String, attribute: String)
}

extension ComparisonError {
  package var problem: String {
    switch self {
    case .notComparable(let entity, let attribute):
      "objects of entity \(quoted(entity)) cannot be matched by \(quoted(attribute)), whose values have no order"
    }
  }

  package var remedy: String? { "name an attribute of texts, numbers, dates or UUIDs" }
}

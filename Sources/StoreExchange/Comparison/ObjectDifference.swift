import ManagedModel

/// An object that two stores do not have alike.
package struct ObjectDifference: Sendable {
  package enum Kind: String, Sendable { case changed, onlyInFirst, onlyInSecond }

  package let kind: Kind
  /// What the object is called in either store, as far as it is there.
  package let first: ObjectName?
  package let second: ObjectName?
  /// By what it was matched: values of attributes, or nothing where its key did.
  package let matched: [ExportValue.Element]
  /// The properties that differ; none where the object is in one store only.
  package let changes: [Change]

  package struct Change: Sendable {
    package let property: String
    package let first: ExportValue
    package let second: ExportValue
  }
}

/// What a comparison of two stores found, in numbers.
package struct ComparisonSummary: Sendable, Hashable {
  package internal(set) var same = 0
  package internal(set) var changed = 0
  package internal(set) var onlyInFirst = 0
  package internal(set) var onlyInSecond = 0

  package var isSame: Bool { changed + onlyInFirst + onlyInSecond == 0 }
}

/// How objects of an entity are matched with those of the other store.
package enum ObjectMatching: Sendable, Hashable {
  /// By their keys, as two states of one store have them.
  case key
  /// By the values of attributes, of which one at least has to be there.
  case attributes([String])
}

/// Why two stores cannot be compared as was asked for.
package enum ComparisonError: Error, Sendable, Hashable {
  /// Nothing can be matched by values whose bytes only their transformer understands, or that are several.
  case notComparable(entity: String, attribute: String)
}

extension ComparisonError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notComparable(let entity, let attribute):
      "objects of entity \(quoted(entity)) cannot be matched by \(quoted(attribute)), whose values have no order"
        + " — name an attribute of texts, numbers, dates or UUIDs"
    }
  }
}

import ManagedModel

/// Why a save wrote nothing; phrased in `description`. Values never are part of it.
package enum SaveError: Error, Sendable, Hashable {
  /// Rows that were changed or deleted by somebody else since they were read; all of the change set are listed.
  case conflicts([Conflict])
  /// Two objects would have the same values where a uniqueness constraint forbids it, and cannot become one.
  case notUnique(entity: String, properties: [String])
  case abstractEntity(String)
  /// A source bound another number of values than its columns are wide.
  case wrongWidth(entity: String, expected: Int, bound: Int)
  /// A value that its column cannot hold.
  case unstorable(entity: String, property: String, UnstorableValue)
  case invalidReference(index: Int, count: Int)

  package struct Conflict: Sendable, Hashable {
    package let entityName: String
    package let object: ObjectKey
    /// The version in the change set; `nil` where any version would have done.
    package let expectedVersion: Int64?
    /// The version in the store; `nil` if the row is gone.
    package let actualVersion: Int64?

    package init(entityName: String, object: ObjectKey, expectedVersion: Int64?, actualVersion: Int64?) {
      self.entityName = entityName
      self.object = object
      self.expectedVersion = expectedVersion
      self.actualVersion = actualVersion
    }
  }
}

extension SaveError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .conflicts(let conflicts):
      "\(conflicts.count) object\(conflicts.count == 1 ? " was" : "s were") changed or deleted in the store since "
        + "\(conflicts.count == 1 ? "it was" : "they were") read: "
        + conflicts.prefix(5).map(\.words).joined(separator: ", ") + (conflicts.count > 5 ? ", …" : "")
        + " — nothing was saved; fetch again, and repeat the change"
    case .notUnique(let entity, let properties):
      "entity \(quoted(entity)) already has another object with the same "
        + "\(properties.map(quoted).joined(separator: " and ")) — nothing was saved; change one of the two"
    case .abstractEntity(let name): "entity \(quoted(name)) is abstract and has no objects of its own"
    case .wrongWidth(let entity, let expected, let bound):
      "a row of entity \(quoted(entity)) has \(expected) values to be saved, but \(bound) were given"
    case .unstorable(let entity, let property, let problem):
      "the value of \(quoted(property)) of entity \(quoted(entity)) \(problem) — nothing was saved"
    case .invalidReference(let index, let count):
      "a relationship refers to insertion \(index) of a change set that has \(count)"
    }
  }
}

extension SaveError.Conflict {
  fileprivate var words: String {
    "\(quoted(entityName)) p\(object.key) (\(actualVersion.map { "now version \($0)" } ?? "deleted"))"
  }
}

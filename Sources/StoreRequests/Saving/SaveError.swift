import ErrorReporting
import ManagedModel

/// The reason why a save wrote nothing. Its message contains no stored value.
package enum SaveError: ReportableError, Sendable, Hashable {
  /// Rows of the change set that somebody else has changed or deleted since they were read: all of them.
  case conflicts([Conflict])
  /// Two objects would have the same unique values, and cannot become one row. The entity and the properties are of the first clash;
  /// `clashes` is empty if the rows are not known.
  case notUnique(entity: String, properties: [String], clashes: [Clash] = [])
  case abstractEntity(String)
  /// A source bound more or fewer values than the width of its columns.
  case wrongWidth(entity: String, expected: Int, bound: Int)
  /// A value that its column cannot hold.
  case unstorable(entity: String, property: String, UnstorableValue)
  case invalidReference(index: Int, count: Int)
  /// An object must have a partner in a one-to-one relationship, and the save gives its partner to another object.
  case noPartner(entity: String, relationship: String)
  /// A trigger of another program kept the store from writing a row, and reported no error.
  case ignored(entity: String)
  /// Triggers of another program kept the store from writing a row of its books, such as history, and reported no error.
  case ignoredBooks(table: String, triggers: [String])

  /// A row of the change set with the unique values of another row.
  package struct Clash: Sendable, Hashable {
    package let entityName: String
    /// The properties of the constraint.
    package let properties: [String]
    package let row: Row

    package enum Row: Sendable, Hashable {
      /// The position among the insertions.
      case insertion(Int)
      case update(ObjectKey)
    }

    package init(entityName: String, properties: [String], row: Row) {
      self.entityName = entityName
      self.properties = properties
      self.row = row
    }
  }

  /// - Throws: ``notUnique(entity:properties:clashes:)`` if there is a clash.
  package static func refuse(_ clashes: [Clash]) throws {
    guard let first = clashes.first else { return }
    throw SaveError.notUnique(entity: first.entityName, properties: first.properties, clashes: clashes)
  }

  /// Runs the planning of an insertion. Adds its clash to a list, so that the others are found too.
  ///
  /// - Returns: `nil` after a clash.
  @discardableResult
  package static func noting<Result>(
    _ insertion: Int, in clashes: inout [Clash], _ body: () throws -> Result
  ) throws -> Result? {
    do { return try body() } catch SaveError.notUnique(let entity, let properties, _) {
      clashes.append(Clash(entityName: entity, properties: properties, row: .insertion(insertion)))
      return nil
    }
  }

  package struct Conflict: Sendable, Hashable {
    package let entityName: String
    package let object: ObjectKey
    /// The version in the change set; `nil` if any version is accepted.
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

extension SaveError {
  package var description: String {
    switch self {
    case .conflicts, .notUnique, .unstorable, .noPartner, .ignored, .ignoredBooks:
      "\(problem) — nothing was saved" + (remedy.map { "; \($0)" } ?? "")
    case .abstractEntity, .wrongWidth, .invalidReference: fullMessage
    }
  }

  package var problem: String {
    switch self {
    case .conflicts(let conflicts):
      "\(counted(conflicts.count, "object was", "objects were")) changed or deleted in the store since "
        + "\(conflicts.count == 1 ? "it was" : "they were") read: "
        + conflicts.prefix(5).map(\.words).joined(separator: ", ") + (conflicts.count > 5 ? ", …" : "")
    case .notUnique(let entity, let properties, _):
      "entity \(quoted(entity)) already has another object with the same "
        + "\(properties.map(quoted).joined(separator: " and "))"
    case .abstractEntity(let name): "entity \(quoted(name)) is abstract and has no objects of its own"
    case .wrongWidth(let entity, let expected, let bound):
      "a row of entity \(quoted(entity)) has \(expected) values to be saved, but \(bound) were given"
    case .unstorable(let entity, let property, let value):
      "the value of \(quoted(property)) of entity \(quoted(entity)) \(value.problem)"
    case .invalidReference(let index, let count):
      "a relationship refers to insertion \(index) of a change set that has \(count)"
    case .noPartner(let entity, let relationship):
      "an object of entity \(quoted(entity)) must have a \(quoted(relationship)), which another object takes from it"
    case .ignored(let entity):
      "the store did not write a row of entity \(quoted(entity)): a trigger of another program keeps it from being written"
    case .ignoredBooks(let table, let triggers):
      "the store did not write a row of its table \(quoted(table)): the trigger \(triggers.map(quoted).joined(separator: " or ")) of another program keeps it from being written"
    }
  }

  package var remedy: String? {
    switch self {
    case .ignoredBooks: "remove the trigger from the store's file: without this row the store loses keys or history"
    case .conflicts: "fetch again, and repeat the change"
    case .notUnique: "change one of the two"
    case .abstractEntity: "save an object of one of its subentities"
    case .unstorable(_, _, let value): value.remedy
    case .noPartner: "delete it, or give it another one"
    case .ignored: "remove the trigger from the store's file, or change the values that it does not accept"
    case .wrongWidth, .invalidReference: nil
    }
  }
}

extension SaveError.Conflict {
  fileprivate var words: String {
    "\(quoted(entityName)) p\(object.key) (\(actualVersion.map { "now version \($0)" } ?? "deleted"))"
  }
}

import CoreDataStore
import ErrorReporting
import StoreRequests

/// Reads a store as plain objects, from one state of its data.
///
/// It is valid inside the closure of ``PersistentStore/readObjects(_:)`` only.
package final class ObjectReader {
  let state: StoreTransaction
  let entities: EntityTable
  /// The data that could not be exported, and was left out.
  package internal(set) var omissions = Omissions()
  /// The texts that were exported with U+FFFD in place of bytes that are not UTF-8.
  package internal(set) var repairedTexts = RepairedTexts()

  init(_ state: StoreTransaction) {
    self.state = state
    entities = state.entities
  }

  package struct Omissions: Sendable, Hashable {
    /// To-one keys that refer to no object (CD-3.1).
    package var danglingKeys = 0
    /// Values in external files that are missing (CD-5).
    package var missingFiles = 0
    /// Rows of entities that the model lacks.
    package var foreignRows = 0

    /// A clause for each kind of omission that occurred.
    package var descriptions: [String] {
      func count(_ number: Int, _ one: String, _ many: String) -> String? {
        number == 0 ? nil : counted(number, one, many)
      }
      return [
        count(danglingKeys, "relationship leads", "relationships lead").map { "\($0) to no object" },
        count(missingFiles, "value is in a file", "values are in files").map { "\($0) beside the store, and missing" },
        count(foreignRows, "row is", "rows are").map { "\($0) of no entity of the model" },
      ].compactMap { $0 }
    }
  }

  /// Returns a cursor over the objects of a request. Memory does not depend on their number.
  ///
  /// - Throws: ``QueryError``, `SQLiteError`.
  package func objects(_ request: ObjectRequest) throws -> ObjectCursor { try ObjectCursor(request, self) }

  /// The root entities in the order of their numbers. Together they cover all objects.
  package var rootEntities: [String] { entities.entities.filter { $0.lineage.count == 1 }.map(\.name) }

  /// Counts the rows of entities that the model lacks. Cursors over exactly one entity do not see these rows.
  ///
  /// - Throws: `SQLiteError`.
  package func countForeignRows() throws {
    omissions.foreignRows += try state.countForeignRows()
  }

  // MARK: Relationships

  /// The name of the object that a key refers to; `nil` if no such row of the destination entity exists.
  func object(_ relationship: StoreRelationship, _ key: Int64) throws -> ObjectName? {
    let destination = relationship.destinationNumber
    guard let row = try state.row(ObjectKey(entity: destination, key: key)),
      entities.isKind(row.entity, of: destination), let entity = entities.entity(numbered: row.entity)
    else { return nil }
    return ObjectName(entity: entity.name, key: key)
  }

  /// The objects of a to-many relationship, in its order.
  func objects(_ members: StoreTransaction.Members, of key: Int64) throws -> [ObjectName] {
    try state.objects(members, of: key).compactMap { object in
      entities.entity(numbered: object.entity).map { ObjectName(entity: $0.name, key: object.key) }
    }
  }
}

extension PersistentStore {
  /// Reads objects as plain values, from one state of the store.
  ///
  /// - Throws: errors of `body`.
  package func readObjects<Result>(_ body: (ObjectReader) throws -> Result) throws -> Result {
    try readState { try body(ObjectReader($0)) }
  }
}

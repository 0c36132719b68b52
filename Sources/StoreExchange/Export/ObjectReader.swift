import CoreDataStore
import ManagedModel
import SQLite
import StoreRequests

/// Reads one state of a store as plain objects, however long it takes.
///
/// Belongs to the closure that ``PersistentStore/readObjects(_:)`` gives it to.
package final class ObjectReader {
  let state: StoreTransaction
  var layout: StoreLayout { state.layout }
  /// What could not be told of the objects that were read, and was left out.
  package internal(set) var omissions = Omissions()

  init(_ state: StoreTransaction) { self.state = state }

  package struct Omissions: Sendable, Hashable {
    /// Keys of to-one relationships that lead to no object (CD-3.1).
    package var danglingKeys = 0
    /// Values in files beside the store that are not there (CD-5).
    package var missingFiles = 0
    /// Rows of entities that the model does not have.
    package var foreignRows = 0

    /// A clause for each kind of omission there was.
    package var descriptions: [String] {
      func count(_ number: Int, _ one: String, _ many: String) -> String? {
        number == 0 ? nil : "\(number) \(number == 1 ? one : many)"
      }
      return [
        count(danglingKeys, "relationship leads", "relationships lead").map { "\($0) to no object" },
        count(missingFiles, "value is in a file", "values are in files").map { "\($0) beside the store, and missing" },
        count(foreignRows, "row is", "rows are").map { "\($0) of no entity of the model" },
      ].compactMap { $0 }
    }
  }

  /// The objects of a request, read as the cursor goes on; memory does not depend on how many there are.
  ///
  /// - Throws: ``QueryError``, `SQLiteError`.
  package func objects(_ request: ObjectRequest) throws -> ObjectCursor { try ObjectCursor(request, self) }

  /// The root entities in order of their numbers: their objects are all there are.
  package var rootEntities: [String] { layout.entities.filter { $0.superentityName == nil }.map(\.name) }

  // MARK: Relationships

  /// The name of the row that a key leads to; `nil` for a key that leads to none of the destination entity.
  func object(_ relationship: ToOneLayout, _ key: Int64) throws -> ObjectName? {
    let destination = try layout.destination(of: relationship)
    guard let row = try state.row(ObjectKey(entity: Int32(destination.number), key: key)),
      destination.includes(Int(row.entity)), let entity = layout.entity(numbered: Int(row.entity))
    else { return nil }
    return ObjectName(entity: entity.name, key: key)
  }

  /// The objects of a to-many relationship, in its order.
  func objects(_ members: StoreTransaction.Members, of key: Int64) throws -> [ObjectName] {
    try state.objects(members, of: key).compactMap { object in
      layout.entity(numbered: Int(object.entity)).map { ObjectName(entity: $0.name, key: object.key) }
    }
  }

  /// Whether a column of a row has a value, whatever reading it gave.
  func hasValue(_ column: Identifier, of object: ObjectKey) throws -> Bool {
    guard let statement = try state.values([column], of: object) else { return false }
    defer { statement.reset() }
    return !statement.isNull(0)
  }
}

extension PersistentStore {
  /// Reads objects as plain values, all of one state of the store, for tools.
  ///
  /// - Throws: what `body` throws.
  package func readObjects<Result>(_ body: (ObjectReader) throws -> Result) throws -> Result {
    try readState { try body(ObjectReader($0)) }
  }
}

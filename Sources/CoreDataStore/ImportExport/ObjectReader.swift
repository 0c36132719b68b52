import ManagedModel
import SQLite

/// Reads one state of a store as plain objects, however long it takes.
///
/// Belongs to the closure that ``PersistentStore/readObjects(_:)`` gives it to.
package final class ObjectReader {
  let connection: Connection
  let layout: StoreLayout
  /// What could not be told of the objects that were read, and was left out.
  package internal(set) var omissions = Omissions()

  init(_ connection: Connection, _ layout: StoreLayout) {
    self.connection = connection
    self.layout = layout
  }

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
    let statement = try connection.statement("SELECT Z_ENT FROM \(relationship.destinationTable) WHERE Z_PK = ?")
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    let destination = try layout.destination(of: relationship)
    guard try statement.step() else { return nil }
    let number = destination.soleNumber.map(Int.init) ?? Int(truncatingIfNeeded: statement.integer(0))
    guard destination.includes(number), let entity = layout.entity(numbered: number) else { return nil }
    return ObjectName(entity: entity.name, key: key)
  }

  /// The objects of a to-many relationship, in its order; `sql` is ``SelectStatement/related(_:columns:ownerCount:in:)``'s.
  func objects(_ relationship: ToManyLayout, of key: Int64, _ sql: String) throws -> [ObjectName] {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    var names: [ObjectName] = []
    while try statement.step() {
      guard let entity = layout.entity(numbered: Int(truncatingIfNeeded: statement.integer(2))) else { continue }
      names.append(ObjectName(entity: entity.name, key: statement.integer(1)))
    }
    return names
  }

  /// Whether a column of a row has a value, whatever reading it gave.
  func hasValue(_ column: Identifier, of table: Identifier, _ key: Int64) throws -> Bool {
    let statement = try connection.statement("SELECT \(column) IS NOT NULL FROM \(table) WHERE Z_PK = ?")
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    return try statement.step() && statement.integer(0) != 0
  }
}

extension PersistentStore {
  /// Reads objects as plain values, all of one state of the store, for tools.
  ///
  /// - Throws: what `body` throws.
  package func readObjects<Result>(_ body: (ObjectReader) throws -> Result) throws -> Result {
    try read { connection in
      try connection.transaction(.deferred) { try body(ObjectReader(connection, layout)) }
    }
  }
}

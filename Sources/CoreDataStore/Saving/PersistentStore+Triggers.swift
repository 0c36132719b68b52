import SQLite
import StoreRequests

/// The rows in which triggers have changed a value since the last ``take()``.
final class AffectedRows: @unchecked Sendable {  // used with the store's connection for writing only, one at a time
  private var rows: Set<ObjectKey> = []

  func add(_ row: ObjectKey) { rows.insert(row) }

  /// Removes all rows and returns them, ordered by entity, then by key.
  func take() -> [ObjectKey] {
    defer { rows = [] }
    return rows.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
  }
}

extension PersistentStore {
  /// Prepares a connection for writing.
  ///
  /// The connection records the changes of triggers. It also gets triggers for the
  /// derived attributes that the store's own triggers do not keep (CD-8).
  func prepareForWriting(_ connection: Connection) throws {
    let affected = affectedRows
    try TriggerFunctions.register(on: connection) { affected.add($0) }
    try BatchWriter.register(on: connection)
    let definitions = try Catalogue.definitions(connection)
    let triggers = definitions.filter { $0.kind == "trigger" }.compactMap(\.sql)
    for definition in layout.missingTriggers(besides: triggers) { try connection.execute(definition) }
  }

  /// Lets triggers write to R*Trees and to search indexes, if the schema has some and all its SQL texts are harmless.
  ///
  /// The texts of a search index count as harmless if they are exactly the texts that this library writes.
  ///
  /// - Returns: the name of the first definition that calls a function which may be harmful. Triggers that write to virtual
  ///   tables then fail.
  @discardableResult
  func decideTrust(of connection: Connection, _ definitions: [Catalogue.Definition]) throws -> String? {
    // No other program has written the schema of a store in memory.
    guard url != nil else { return nil }
    let own = Set(layout.searchTables(in: definitions).flatMap(\.definitions))
    let others = own.isEmpty ? definitions : definitions.filter { !own.contains($0.sql ?? "") }
    guard layout.hasLocationIndexes || !own.isEmpty else {
      try connection.trustSchema(false)
      return nil
    }
    let harmful = others.first { !SchemaTrust.isHarmless([$0]) }?.name
    try connection.trustSchema(harmful == nil)
    return harmful
  }
}

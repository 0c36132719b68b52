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
}

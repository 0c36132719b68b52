import SQLite
import StoreRequests

/// The rows of which triggers changed a value, since the last time somebody asked.
final class AffectedRows: @unchecked Sendable {  // used with the store's connection for writing only, one at a time
  private var rows: Set<ObjectKey> = []

  func add(_ row: ObjectKey) { rows.insert(row) }

  /// All of them, by entity, then by key; none are left.
  func take() -> [ObjectKey] {
    defer { rows = [] }
    return rows.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
  }
}

extension PersistentStore {
  /// Makes a connection fit for writing: it hears what triggers do, may fill location indexes, and keeps the derived
  /// attributes of which the store's own triggers say nothing (CD-8).
  func prepareForWriting(_ connection: Connection) throws {
    let affected = affectedRows
    try TriggerFunctions.register(on: connection) { affected.add($0) }
    let definitions = try Catalogue(connection).definitions
    if layout.hasLocationIndexes, SchemaTrust.isHarmless(definitions) { try connection.trustSchema() }
    let triggers = definitions.filter { $0.kind == "trigger" }.compactMap(\.sql)
    for definition in layout.missingTriggers(besides: triggers) { try connection.execute(definition) }
  }
}

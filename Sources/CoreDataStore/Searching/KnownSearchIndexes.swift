import SQLite
import Synchronization

/// The search indexes of an open store. Any program may make or remove one, so they count for one schema version.
final class KnownSearchIndexes: Sendable {
  private let state = Mutex<(version: Int64, tables: [SearchIndexLayout], whole: [SearchIndexLayout])?>(nil)

  /// The indexes with all their triggers, and the FTS5 tables with or without triggers.
  ///
  /// Cost: one pragma; after a change of a definition, also one query.
  func indexes(
    on connection: Connection, _ layout: StoreLayout
  ) throws -> (tables: [SearchIndexLayout], whole: [SearchIndexLayout]) {
    let version = try connection.schemaVersion()
    if let known = state.withLock({ $0 }), known.version == version { return (known.tables, known.whole) }
    let definitions = try Catalogue.definitions(connection)
    let tables = layout.searchTables(in: definitions)
    let whole = tables.filter { $0.isWhole(in: definitions) }
    state.withLock { $0 = (version, tables, whole) }
    return (tables, whole)
  }
}

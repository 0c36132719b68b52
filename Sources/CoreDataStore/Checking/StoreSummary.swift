package import Foundation
import ManagedModel
import SQLite

/// What is in a store, in numbers: for people who look into one, and as JSON for programs.
package struct StoreSummary: Sendable, Hashable, Codable {
  package let path: String
  /// `Z_UUID`.
  package let identifier: String
  /// `NSPersistenceFrameworkVersion`.
  package let frameworkVersion: Int
  package let versionIdentifiers: [String]
  /// In order of their numbers.
  package let entities: [Entity]
  /// `nil` for a store without history.
  package let history: History?

  package struct Entity: Sendable, Hashable, Codable {
    package let number: Int
    package let name: String
    package let superentity: String?
    package let isAbstract: Bool
    package let table: String
    /// Rows that are exactly of this entity.
    package let count: Int64
    package let attributes: Int
    package let relationships: Int
  }

  package struct History: Sendable, Hashable, Codable {
    package let transactions: Int64
    package let changes: Int64
    /// When the last transaction was written.
    package let latest: Date?
  }

  /// Opens a store by its own model, for reading, and counts. Cost: one scan per table.
  ///
  /// - Throws: ``StoreError``
  package static func read(_ url: URL) throws -> StoreSummary {
    let store = try PersistentStore.open(at: url, options: StoreOptions(isReadOnly: true))
    defer { store.close() }
    return try StoreSummary(store)
  }

  /// - Throws: ``StoreError``, `SQLiteError`
  package init(_ store: PersistentStore) throws {
    self = try store.read { connection in
      try connection.transaction(.deferred) { try StoreSummary(store, connection) }
    }
  }

  private init(_ store: PersistentStore, _ connection: Connection) throws {
    path = store.url?.path ?? ":memory:"
    identifier = store.identifier
    frameworkVersion = store.metadata.frameworkVersion
    versionIdentifiers = store.metadata.versionIdentifiers
    var counts: [Int64: Int64] = [:]
    for table in store.layout.tables {
      let rows = try connection.prepare("SELECT Z_ENT, count(*) FROM \(table.name) GROUP BY Z_ENT")
      while try rows.step() { counts[rows.integer(0)] = rows.integer(1) }
    }
    entities = store.layout.entities.map { entity in
      let attributes = entity.properties.count { if case .attribute = $0 { true } else { false } }
      return Entity(
        number: entity.number, name: entity.name, superentity: entity.superentityName, isAbstract: entity.isAbstract,
        table: entity.table.name, count: counts[Int64(entity.number)] ?? 0, attributes: attributes,
        relationships: entity.properties.count - attributes)
    }
    let catalogue = try Catalogue(connection)
    guard catalogue.has(HistoryTables.transaction), catalogue.has(HistoryTables.change) else {
      history = nil
      return
    }
    let latest = try connection.prepare("SELECT count(*), max(ZTIMESTAMP) FROM \(HistoryTables.transaction)")
    _ = try latest.step()
    history = History(
      transactions: latest.integer(0),
      changes: try connection.integer("SELECT count(*) FROM \(HistoryTables.change)") ?? 0,
      latest: latest.isNull(1) ? nil : Date(timeIntervalSinceReferenceDate: latest.double(1)))
  }
}

import ManagedModel
package import SQLite
package import StoreRequests

extension PersistentStore: StoreEngine {
  package var capabilities: StoreCapabilities {
    // A store in memory has only one connection, and a reader holds it.
    let always: StoreCapabilities = [.filter, .sort, .batch, .search, .overwrite]
    return url == nil ? always : always.union(.readWhileSaving)
  }
}

extension PersistentStore: ValueEngine {}

extension PersistentStore: HistoryEngine {}

extension StoreLayout {
  /// The layout's entities, without tables and columns.
  var entityTable: EntityTable {
    EntityTable(
      graph, numbers: Dictionary(entities.map { ($0.name, Int32($0.number)) }, uniquingKeysWith: { first, _ in first }))
  }
}

extension Statement: ParameterSink {}

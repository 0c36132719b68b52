package import Foundation

/// The options for opening a store.
package struct StoreOptions: Sendable {
  /// Opens the store for reading only: it writes nothing, and its files may be in a place without write permission.
  package var isReadOnly: Bool
  /// Reads the tables of a store without its model, as a store without entities; only for reading.
  package var hasTablesOnly = false
  /// Makes a store if none exists; this needs a model.
  package var createsIfMissing: Bool
  /// The time to wait for another process that holds the lock.
  package var busyTimeout: Duration
  /// The entities of a new store, for example the entities of a configuration; `nil` for the whole model.
  package var entityNames: Set<String>?
  /// The identifier of a new store.
  package var identifier: UUID
  /// The size of a new store's pages in bytes: a power of 2 from 512 to 65,536.
  package var pageSize: Int64 = 4096

  package init(
    isReadOnly: Bool = false, createsIfMissing: Bool = true, busyTimeout: Duration = .seconds(5),
    entityNames: Set<String>? = nil, identifier: UUID = UUID()
  ) {
    self.isReadOnly = isReadOnly
    self.createsIfMissing = createsIfMissing
    self.busyTimeout = busyTimeout
    self.entityNames = entityNames
    self.identifier = identifier
  }
}

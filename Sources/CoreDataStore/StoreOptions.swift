package import Foundation

/// How a store is opened.
package struct StoreOptions: Sendable {
  /// Nothing is ever written, and the files may be where nothing can be.
  package var isReadOnly: Bool
  /// Makes a store where there is none; needs a model.
  package var createsIfMissing: Bool
  /// How long to wait for another process that holds the lock.
  package var busyTimeout: Duration
  /// The entities that a store still to be made holds, if not all of the model's: those of a configuration.
  package var entityNames: Set<String>?
  /// The identifier of a store still to be made.
  package var identifier: UUID

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

internal import StoreRequests

extension ModelContainer {
  /// The identifier of a configuration's store, as in a ``PersistentIdentifier`` and in a history transaction.
  ///
  /// - Parameter name: the name of one of the container's configurations.
  /// - Returns: the store's identifier; `nil` if no store has a configuration of this name. If several have, the first one's.
  ///
  /// Apple: `ModelContainer.storeIdentifier(forConfigurationNamed:)` (iOS 27).
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    core.stores.first { $0.configuration.name == name }?.engine.identifier
  }

  /// The name of the configuration of a store.
  ///
  /// - Parameter identifier: the store's identifier, such as ``PersistentIdentifier/storeIdentifier``.
  /// - Returns: the name; `nil` if the container has no such store.
  ///
  /// Apple: `ModelContainer.configurationName(forStoreIdentifier:)` (iOS 27).
  public func configurationName(forStoreIdentifier identifier: String) -> String? {
    core.stores.first { $0.engine.identifier == identifier }?.configuration.name
  }
}

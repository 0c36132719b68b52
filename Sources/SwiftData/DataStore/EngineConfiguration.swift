package import ManagedModel
package import StoreRequests

/// The configuration of a store whose engine the framework asks directly, without snapshots.
///
/// Another module of the package has the engine. Its `Store` is for programs that use the configuration without a container; see
/// ``ContainerSnapshots``.
package protocol EngineConfiguration: DataStoreConfiguration {
  /// Whether changes may be saved.
  var allowsSave: Bool { get }

  /// The place of the store for messages, without secrets.
  var place: String { get }

  /// Opens the store; makes one if there is none.
  ///
  /// - Parameter model: the entities that the store keeps.
  /// - Throws: `OtherModelError` if the store has another version of the model.
  func openEngine(_ model: ModelDescription) throws -> any StoreEngine

  /// How an older store is migrated.
  var migration: MigrationOptions { get }

  /// How long the store keeps its history; `nil` keeps it until somebody deletes it.
  var historyRetention: Duration? { get }

  /// Migrates the store; `nil` for a store that is opened by its own model only.
  func migrator() throws -> (any StoreMigrator)?
}

extension EngineConfiguration {
  package var migration: MigrationOptions { MigrationOptions() }
  package var historyRetention: Duration? { nil }
  package func migrator() throws -> (any StoreMigrator)? { nil }
}

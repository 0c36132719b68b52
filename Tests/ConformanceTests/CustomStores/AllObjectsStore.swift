import Foundation
import SwiftData

/// A store in memory that answers each fetch without predicate and order with all its objects, as Apple's example of a store does.
final class AllObjectsStore: DataStore {
  typealias Configuration = AllObjectsConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: AllObjectsConfiguration
  let identifier = "all-\(UUID().uuidString)"
  let schema: Schema
  private var rows: [PersistentIdentifier: DefaultSnapshot] = [:]
  /// The identifiers of the rows, and of deleted ones, in the order of their insertion.
  private var order: [PersistentIdentifier] = []

  init(_ configuration: AllObjectsConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let found = order.compactMap { rows[$0] }
    let limit = configuration.appliesLimit ? request.descriptor.fetchLimit ?? found.count : found.count
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: Array(found.prefix(limit)), relatedSnapshots: rows)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      let permanent = try PersistentIdentifier.identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: order.count + 1)
      remapped[snapshot.persistentIdentifier] = permanent
      order.append(permanent)
    }
    for snapshot in request.inserted + request.updated {
      let permanent = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      rows[permanent] = snapshot.copy(persistentIdentifier: permanent, remappedIdentifiers: remapped)
    }
    for snapshot in request.deleted { rows[snapshot.persistentIdentifier] = nil }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }
}

struct AllObjectsConfiguration: DataStoreConfiguration {
  typealias Store = AllObjectsStore

  var name = "all objects"
  var schema: Schema?
  /// Whether a fetch gives no more objects than its limit, though it skips none.
  var appliesLimit = false
}

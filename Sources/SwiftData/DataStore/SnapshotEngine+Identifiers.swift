internal import StoreRequests

// Refuses identifiers that a store must not give: the next time, they would lead to another object, or to none.
extension SnapshotEngine {
  /// The keys of fetched identifiers, each once; identifiers of other classes are left out, as their objects are.
  func objectKeys<Model: PersistentModel>(
    of identifiers: [PersistentIdentifier], _ type: Model.Type
  ) throws -> [ObjectKey] {
    let names = SnapshotClasses.entityNames(of: type)
    var known: Set<PersistentIdentifier> = []
    return try identifiers.filter { names.contains($0.entityName) && known.insert($0).inserted }.map {
      try refuseForeign($0)
      return table.key(of: $0, try entities.existingEntity($0.entityName))
    }
  }

  /// Throws for an identifier of another store, and for the temporary identifier from before the object's first save.
  func refuseForeign(_ identifier: PersistentIdentifier) throws {
    guard identifier.storeIdentifier != self.identifier else { return }
    let owner =
      identifier.storeIdentifier.map { "that of the store \($0)" } ?? "one from before the object's first save"
    throw SwiftDataError(
      .storeFailure,
      """
      The store \(store.configuration.name) gave an object of \(identifier.entityName) whose identifier is not the store's, but \
      \(owner): a store's identifier, now \(self.identifier), stays the same each time it is opened, and it keeps snapshots as \
      copy(persistentIdentifier:remappedIdentifiers:) makes them.
      """)
  }

  /// The entity of the permanent identifier that a save gave to a new object.
  ///
  /// - Throws: ``SwiftDataError`` for an identifier of another store, or of an entity that shares no keys with the object's.
  func ownEntity(of permanent: PersistentIdentifier, for entity: StoreEntity) throws -> StoreEntity {
    if permanent.storeIdentifier == identifier, let own = entities.entity(named: permanent.entityName),
      own.hierarchy == entity.hierarchy
    {
      return own
    }
    throw SwiftDataError(
      .storeFailure,
      """
      The store \(store.configuration.name) saved a new object of \(entity.name) and gave it the identifier \(permanent): its \
      save(_:) must make it with the store's identifier, \(identifier), and the snapshot's entity name.
      """)
  }
}

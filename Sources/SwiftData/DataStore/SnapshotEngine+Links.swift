internal import Logging
internal import ManagedModel
internal import StoreRequests

extension SnapshotEngine {
  /// The object that a to-one relationship of a snapshot names; `nil` if it was never saved.
  func destination(
    _ named: PersistentIdentifier?, of property: ModelClass.Property, _ relationship: StoreRelationship,
    in entity: StoreEntity
  ) -> ObjectKey? {
    guard let named else { return nil }
    guard let identifier = named.permanent else {
      reportUnsavedLink(of: property, in: entity)
      return nil
    }
    let destination =
      entities.entity(named: identifier.entityName) ?? entities.entity(numbered: relationship.destinationNumber)
    return destination.map { table.key(of: identifier, $0) }
  }

  /// The members that a to-many relationship of a snapshot names.
  ///
  /// - Returns: `nil` if one of them was never saved, and their to-one inverse tells the members.
  func members(
    _ named: [PersistentIdentifier]?, of property: ModelClass.Property, _ relationship: StoreRelationship,
    in entity: StoreEntity
  ) -> [PersistentIdentifier]? {
    guard let named else { return nil }
    let permanent = named.compactMap(\.permanent)
    var known: Set<PersistentIdentifier> = []
    let saved = permanent.filter { known.insert($0).inserted }
    guard permanent.count < named.count else { return saved }
    reportUnsavedLink(of: property, in: entity)
    return relationship.inverse?.isToMany == false ? nil : saved
  }

  /// Logs, once for a relationship, that the store kept an identifier that its save should have replaced.
  private func reportUnsavedLink(of property: ModelClass.Property, in entity: StoreEntity) {
    guard unsavedLinks.insert("\(entity.name).\(property.name)").inserted else { return }
    Logger(label: "SwiftData").error(
      """
      A snapshot of the store \(store.configuration.name) names in \(entity.name).\(property.name) an object by its identifier \
      before the first save, which leads nowhere: let the store keep snapshots as \
      copy(persistentIdentifier:remappedIdentifiers:) makes them.
      """)
  }
}

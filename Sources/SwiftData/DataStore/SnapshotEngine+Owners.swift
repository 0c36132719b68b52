internal import ManagedModel
internal import StoreRequests

/// Which members the lists of stored owners gain (`true`) or lose, by the owner and the name of its to-many relationship.
typealias ListChanges = [ObjectKey: [String: [ObjectKey: Bool]]]

extension SnapshotEngine {
  /// The changes of lists in owners that a save does not write. They follow from its deletions, and from the to-one keys that it writes.
  ///
  /// The owners that the saving context knew are updates of the save. Another context may have changed a member's owner meanwhile:
  /// - It led the member to a third owner, which still lists it.
  /// - It led the member away from the owner to which this save leads it back.
  ///
  /// The member's own key decides, as in a database. A store whose snapshots have no lists needs nothing.
  ///
  /// Cost: one request, and only if there is such an owner; see also ``unownedLists(_:besides:)``.
  /// - Parameter stored: the rows to change, as the store has them.
  func listChanges(
    _ changes: ChangeSet, _ stored: [ObjectKey: Store.Snapshot], _ written: WrittenSnapshots<Store.Snapshot>
  ) throws -> ListChanges {
    let known = Set(changes.updates.map(\.object) + changes.deletions.map(\.object))
    var wanted: ListChanges = [:]
    for (update, snapshot) in zip(changes.updates, written.updated) {
      guard let before = stored[update.object] else { continue }
      let entity = try existing(update.object.entity)
      let owners = update.columns.compactMap { column -> (name: String, list: String)? in
        guard case .toOne(let relationship) = entity.property(named: column.propertyName),
          let inverse = relationship.inverse, inverse.isToMany
        else { return nil }
        return (column.propertyName, inverse.name)
      }
      guard !owners.isEmpty else { continue }
      let model = classes[snapshot.persistentIdentifier.entityName]
      let (old, written) = (try SnapshotValues(before), try SnapshotValues(snapshot))
      for (name, list) in owners {
        let (former, new) = try (owner(name, in: old, model), owner(name, in: written, model))
        guard former != new else { continue }
        for (owner, isListed) in [(former, false), (new, true)] {
          guard let owner, !known.contains(owner) else { continue }
          wanted[owner, default: [:]][list, default: [:]][update.object] = isListed
        }
      }
    }
    for deletion in changes.deletions {
      guard let snapshot = stored[deletion.object] else { continue }
      for (owner, list) in try listings(in: snapshot) where !known.contains(owner) {
        wanted[owner, default: [:]][list, default: [:]][deletion.object] = false
      }
    }
    var differing = try unownedLists(Set(changes.deletions.map(\.object)), besides: known)
    guard !wanted.isEmpty else { return differing }
    let owners = wanted.keys.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
    for (owner, snapshot) in try snapshots(for: owners) {
      let lists = try content(of: snapshot, replacing: [:]).1.members
      for (name, members) in wanted[owner] ?? [:] {
        guard let listed = lists[name].map({ Set($0.compactMap(table.known)) }) else { continue }
        let changed = members.filter { $1 != listed.contains($0) }
        if !changed.isEmpty { differing[owner, default: [:]][name] = changed }
      }
    }
    return differing
  }

  /// The owners that a stored object names, with the names of their lists that have it.
  private func listings(in snapshot: Store.Snapshot) throws -> [(owner: ObjectKey, list: String)] {
    let content = try content(of: snapshot, replacing: [:]).1
    return content.entity.properties.flatMap { property -> [(owner: ObjectKey, list: String)] in
      switch property {
      case .toOne(let relationship):
        guard let inverse = relationship.inverse, inverse.isToMany,
          case .integer(let key)? = content.values[property.name]?.first,
          case .integer(let entity)? = content.values[property.name]?.last
        else { return [] }
        return [(ObjectKey(entity: Int32(truncatingIfNeeded: entity), key: key), inverse.name)]
      case .toMany(let relationship):
        guard let inverse = relationship.inverse, inverse.isToMany else { return [] }
        return (content.members[property.name] ?? []).compactMap(table.known).map { ($0, inverse.name) }
      case .attribute: return []
      }
    }
  }

  /// The lists without an inverse that name deleted objects, whose rows do not tell their owners.
  ///
  /// Cost: all objects of the classes with such a list, and only if it may have one of the deleted objects.
  private func unownedLists(_ deleted: Set<ObjectKey>, besides known: Set<ObjectKey>) throws -> ListChanges {
    let kinds = Set(deleted.map(\.entity))
    var losing: ListChanges = [:]
    for entity in entities.entities {
      let lists = entity.properties.compactMap { property -> String? in
        guard case .toMany(let relationship) = property, relationship.inverse == nil,
          entities.declaringEntityName(of: property.name, in: entity) == entity.name,
          kinds.contains(where: { entities.isKind($0, of: relationship.destinationNumber) })
        else { return nil }
        return property.name
      }
      guard !lists.isEmpty else { continue }
      for row in try allRows(of: entity) where !known.contains(row.object) {
        for list in lists {
          let lost = (row.content.members[list] ?? []).compactMap(table.known).filter(deleted.contains)
          for member in lost { losing[row.object, default: [:]][list, default: [:]][member] = false }
        }
      }
    }
    return losing
  }

  /// The stored object that a to-one relationship of a snapshot names.
  private func owner(_ name: String, in coded: SnapshotValues, _ model: ModelClass?) throws -> ObjectKey? {
    guard let property = model?.properties.first(where: { $0.persistentName == name }) else { return nil }
    let named = try recoded(coded.values[property.name] ?? coded.values[name], as: PersistentIdentifier.self)
    guard let owner = named?.permanent, let entity = entities.entity(named: owner.entityName) else { return nil }
    return table.key(of: owner, entity)
  }

  /// Gives the lists of an object other members, without the upkeep of their inverses.
  ///
  /// - Parameter reader: the context of the object, which is not used further.
  func change(
    _ changes: [String: [ObjectKey: Bool]], of object: any PersistentModel, in store: OpenStore, _ reader: ContextCore
  ) throws {
    for property in ModelClass.of(type(of: object)).properties where property.isToMany {
      guard let changed = changes[property.persistentName] else { continue }
      let rest = reader.targets(of: object, at: property.index).filter {
        table.known($0.persistentModelID).flatMap { changed[$0] } != false
      }
      let joining = Dictionary(grouping: changed.filter(\.value).keys, by: \.entity).sorted { $0.key < $1.key }
      let joined = try joining.flatMap { entity, keys -> [any PersistentModel] in
        guard let binding = store.binding(entity) else { return [] }
        return try reader.load(keys.sorted { $0.key < $1.key }, of: binding)
      }
      var loader = MemberLoader(members: rest + joined)
      object._$visit(property.index, &loader)
    }
  }
}

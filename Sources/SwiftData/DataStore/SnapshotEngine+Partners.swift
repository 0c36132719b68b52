internal import StoreRequests

/// The snapshots that a save gives to a custom store.
struct WrittenSnapshots<Snapshot: DataStoreSnapshot> {
  /// In the order of the change set.
  var inserted: [Snapshot] = []
  var updated: [Snapshot] = []
  /// Rows that the context does not change, with other partners.
  var relinked: [(object: ObjectKey, snapshot: Snapshot)] = []
}

extension SnapshotEngine {
  /// Lets both keys of a one-to-one relationship agree of which a save writes one; see ``PartnerLinks``. Lets the lists of owners agree
  /// with the keys of their members; see ``listChanges(_:_:_:)``.
  ///
  /// A third object may still lead to one of two new partners, because another context has saved meanwhile. It is found by the keys that
  /// the partners have in the store, so that no fetch reads all objects. Cost: no request for a save that changes no such
  /// relationship, at most two for one that does.
  /// - Parameter stored: the rows to delete and to change, as the store has them.
  func alignPartners(
    _ changes: ChangeSet, _ stored: [ObjectKey: Store.Snapshot], _ written: inout WrittenSnapshots<Store.Snapshot>,
    _ newcomers: inout [PersistentIdentifier: any BackingData]
  ) throws {
    var rows = try PartnerRows(self, changes, written, stored)
    let members: ListChanges
    do {
      members = try listChanges(changes, stored, written)
      try rows.completeStored()
    } catch DataStoreError.unsupportedFeature {
      // A store that only takes objects cannot be asked for them.
      return
    }
    var partners: [ObjectKey: [String: ObjectKey?]] = [:]
    for pair in oneToOne {
      for change in rows.changes(of: pair) {
        let side = pair.side(change.side)
        guard change.partner != nil || !side.isRequired else {
          throw SaveError.noPartner(entity: side.entity.name, relationship: side.name)
        }
        partners[change.object, default: [:]][side.name] = .some(change.partner)
      }
    }
    for (object, place) in rows.places {
      guard let own = partners.removeValue(forKey: object) else { continue }
      switch place {
      case .insertion(let index):
        let model = try model(of: changes.insertions[index].source)
        written.inserted[index] = try snapshot(of: model, own, rows, &newcomers)
      case .update(let index):
        let model = try model(of: changes.updates[index].source)
        written.updated[index] = try snapshot(of: model, own, rows, &newcomers)
      }
    }
    try relink(partners, members, rows, changes, &written, &newcomers)
  }

  /// Makes snapshots of stored rows with other partners and other members.
  private func relink(
    _ partners: [ObjectKey: [String: ObjectKey?]], _ members: ListChanges, _ rows: PartnerRows<Store>,
    _ changes: ChangeSet, _ written: inout WrittenSnapshots<Store.Snapshot>,
    _ newcomers: inout [PersistentIdentifier: any BackingData]
  ) throws {
    let objects = Set(partners.keys).union(members.keys)
    guard !objects.isEmpty, let container = (changes.requester as? ContextCore)?.container,
      let own = container.stores.first(where: { $0.engine === self })
    else { return }
    // The objects of the saving context keep their values until the store has saved the others.
    let reader = ContextCore(container)
    defer { reader.close() }
    for object in objects.sorted(by: { ($0.entity, $0.key) < ($1.entity, $1.key) }) {
      guard let binding = own.binding(object.entity), let model = try reader.load([object], of: binding).first else {
        continue
      }
      try change(members[object] ?? [:], of: model, in: own, reader)
      written.relinked.append((object, try snapshot(of: model, partners[object] ?? [:], rows, &newcomers)))
    }
  }

  /// The snapshot of an object with other partners. The object itself does not change.
  private func snapshot(
    of object: any PersistentModel, _ partners: [String: ObjectKey?], _ rows: PartnerRows<Store>,
    _ newcomers: inout [PersistentIdentifier: any BackingData]
  ) throws -> Store.Snapshot {
    var former: [(property: Int, storage: any _PropertyStorage)] = []
    defer {
      for (property, storage) in former {
        var putter = StoragePutter(storage: storage)
        object._$visit(property, &putter)
      }
    }
    for property in ModelClass.of(type(of: object)).properties {
      guard let partner = partners[property.persistentName] else { continue }
      var keeper = StorageKeeper()
      object._$visit(property.index, &keeper)
      if let storage = keeper.storage { former.append((property.index, storage)) }
      var setter = ReferenceSetter(reference: rows.reference(to: partner))
      object._$visit(property.index, &setter)
    }
    return try snapshot(of: object, &newcomers)
  }
}

/// Sets the destination of a to-one relationship without the upkeep of its inverse.
private struct ReferenceSetter: _PropertyVisitor {
  let reference: ToOneReference

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {
    storage.reference = reference
  }
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {}
}

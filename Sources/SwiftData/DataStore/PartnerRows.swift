internal import StoreRequests

/// The partners of the objects that a save to a custom store writes, and of those that it may affect.
struct PartnerRows<Store: DataStore> {
  enum Place {
    case insertion(Int)
    case update(Int)
  }

  private struct WrittenRow {
    let object: ObjectKey
    /// The one-to-one relationships that the save writes.
    let names: [String]
  }

  private let engine: SnapshotEngine<Store>
  /// Where the change set has the written rows.
  private(set) var places: [ObjectKey: Place] = [:]
  private var written: [WrittenRow] = []
  /// New objects by their temporary identifiers; they have keys that no stored object has.
  private var newKeys: [PersistentIdentifier: ObjectKey] = [:]
  private var newModels: [ObjectKey: any PersistentModel] = [:]
  /// The partners after the save and before it, by relationship.
  private var after: [ObjectKey: [String: ObjectKey]] = [:]
  private var before: [ObjectKey: [String: ObjectKey]] = [:]
  private let deleted: Set<ObjectKey>
  /// The names of one-to-one relationships, with those of their inverses, by entity number.
  private var inverses: [Int32: [String: String]] = [:]

  private static var firstNewKey: Int64 { .max / 2 }

  init(
    _ engine: SnapshotEngine<Store>, _ changes: ChangeSet, _ snapshots: WrittenSnapshots<Store.Snapshot>,
    _ stored: [ObjectKey: Store.Snapshot]
  ) throws {
    self.engine = engine
    deleted = Set(changes.deletions.map(\.object))
    for pair in engine.oneToOne {
      for (side, inverse) in zip(pair.sides, pair.sides.reversed()) {
        for kind in side.entity.kindNumbers { inverses[kind, default: [:]][side.name] = inverse.name }
      }
    }
    for (index, (insertion, snapshot)) in zip(changes.insertions, snapshots.inserted).enumerated() {
      let object = ObjectKey(entity: insertion.entity, key: Self.firstNewKey + Int64(index))
      newKeys[snapshot.persistentIdentifier] = object
      newModels[object] = try engine.model(of: insertion.source)
    }
    for (index, (insertion, snapshot)) in zip(changes.insertions, snapshots.inserted).enumerated() {
      guard let object = newKeys[snapshot.persistentIdentifier] else { continue }
      try note(snapshot, object, .insertion(index), insertion.columns)
    }
    for (index, (update, snapshot)) in zip(changes.updates, snapshots.updated).enumerated() {
      try note(snapshot, update.object, .update(index), update.columns)
    }
    for (object, snapshot) in stored where !deleted.contains(object) {
      before[object] = try partners(of: snapshot, object.entity)
    }
  }

  private mutating func note(
    _ snapshot: Store.Snapshot, _ object: ObjectKey, _ place: Place, _ columns: [ColumnSelection]
  ) throws {
    guard let own = inverses[object.entity] else { return }
    places[object] = place
    after[object] = try partners(of: snapshot, object.entity)
    written.append(WrittenRow(object: object, names: columns.map(\.propertyName).filter { own[$0] != nil }))
  }

  /// The partners that a snapshot names.
  private func partners(of snapshot: Store.Snapshot, _ entity: Int32) throws -> [String: ObjectKey] {
    guard let own = inverses[entity], let model = engine.classes[snapshot.persistentIdentifier.entityName] else {
      return [:]
    }
    let coded = try SnapshotValues(snapshot)
    var partners: [String: ObjectKey] = [:]
    for property in model.properties where own[property.persistentName] != nil {
      let given = coded.values[property.name] ?? coded.values[property.persistentName]
      let named = try engine.recoded(given, as: PersistentIdentifier.self)
      partners[property.persistentName] = named.flatMap(key)
    }
    return partners
  }

  private func key(of identifier: PersistentIdentifier) -> ObjectKey? {
    if let new = newKeys[identifier] { return new }
    guard let permanent = identifier.permanent, let entity = engine.entities.entity(named: permanent.entityName) else {
      return nil
    }
    return engine.table.key(of: permanent, entity)
  }

  /// Reads the rows that the save does not write, and that may lead to an object with a new partner.
  mutating func completeStored() throws {
    var partners: Set<ObjectKey> = []
    for row in written {
      for name in row.names {
        let (former, new) = (before[row.object]?[name], after[row.object]?[name])
        if former != new { partners.formUnion([former, new].compactMap(\.self)) }
      }
    }
    try read(partners)
    try read(Set(partners.flatMap { before[$0]?.values.map { $0 } ?? [] }))
  }

  private mutating func read(_ objects: Set<ObjectKey>) throws {
    let missing = objects.filter { before[$0] == nil && newModels[$0] == nil && !deleted.contains($0) }
    guard !missing.isEmpty else { return }
    let order = missing.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
    for (object, snapshot) in try engine.snapshots(for: order) {
      before[object] = try partners(of: snapshot, object.entity)
    }
  }

  /// The keys of a relationship that the save has to change, so that both keys of each pair agree.
  func changes(of pair: OneToOne<PartnerSide>) -> [PartnerLinks.Change] {
    let keys = pair.sides.map { side in
      written.filter { isKind($0.object, side) && $0.names.contains(side.name) }.map(\.object.key)
    }
    guard keys.contains(where: { !$0.isEmpty }) else { return [] }
    let sides = pair.sides.map { RowsOfSide($0, self) }
    var links = PartnerLinks(isReflexive: pair.isReflexive)
    for (index, keys) in keys.enumerated() {
      let side = PartnerLinks.Side(rawValue: index) ?? .first
      let inverse = links.inverse(of: side)
      for key in keys { note(key, side, sides[index], inverse, sides[pair.isReflexive ? 0 : inverse.rawValue], &links) }
    }
    return links.isEmpty ? [] : links.changes(written: keys, isRequired: { pair.side($0).isRequired })
  }

  /// Notes the rows whose keys disagree with a written one: its partner, other owners of the partner, and former partners.
  private func note(
    _ key: Int64, _ side: PartnerLinks.Side, _ own: RowsOfSide, _ inverse: PartnerLinks.Side, _ others: RowsOfSide,
    _ links: inout PartnerLinks
  ) {
    guard let object = own.objects[key] else { return }
    let partner = own.partners[key]
    let rivals = (partner.flatMap { own.owners[$0] } ?? []).filter { $0 != key }
    var disagreeing = (others.owners[key] ?? []).filter { $0 != partner }
    if let partner, others.objects[partner] != nil, others.partners[partner] != key { disagreeing.append(partner) }
    guard !rivals.isEmpty || !disagreeing.isEmpty else { return }
    links.note(object, side, leadsTo: partner)
    for rival in rivals { if let row = own.objects[rival] { links.note(row, side, leadsTo: own.partners[rival]) } }
    for other in disagreeing {
      if let row = others.objects[other] { links.note(row, inverse, leadsTo: others.partners[other]) }
    }
  }

  /// The known rows of one side, by key, with their partners after the save.
  private struct RowsOfSide {
    private(set) var objects: [Int64: ObjectKey] = [:]
    private(set) var partners: [Int64: Int64] = [:]
    /// The rows that lead to a partner.
    private(set) var owners: [Int64: [Int64]] = [:]

    init(_ side: PartnerSide, _ rows: PartnerRows) {
      for (object, links) in rows.before.merging(rows.after, uniquingKeysWith: { $1 }) where rows.isKind(object, side) {
        objects[object.key] = object
        guard let partner = links[side.name]?.key else { continue }
        partners[object.key] = partner
        owners[partner, default: []].append(object.key)
      }
    }
  }

  private func isKind(_ object: ObjectKey, _ side: PartnerSide) -> Bool {
    engine.entities.isKind(object.entity, of: side.entity.number)
  }

  /// A partner in the form that an object's storage has.
  func reference(to partner: ObjectKey?) -> ToOneReference {
    guard let partner else { return .nothing }
    return newModels[partner].map { .object(HeldObject($0)) } ?? .key(partner)
  }
}

import Foundation
import ManagedModel
import StoreRequests
import Synchronization

/// A second engine: rows in dictionaries, no SQLite, keys with names that are no integers. It neither selects nor sorts.
///
/// It shows what the framework may expect of any engine; the conformance tests run over it.
final class MemoryEngine: StoreEngine {
  let identifier = UUID().uuidString
  let entities: EntityTable
  let capabilities: StoreCapabilities = [.readWhileSaving]
  private let content: Mutex<Content>

  struct Row {
    let entity: Int32
    let key: Int64
    var version: Int64 = 1
    /// By property.
    var values: [String: [StoreValue]] = [:]
  }

  /// A pair of a listed relationship, or a place in an ordered one.
  struct Pair: Hashable {
    let owner: Int64
    let member: Int64
  }

  struct Content {
    /// By hierarchy, in the order of keys.
    var rows: [Int: [Int64: Row]] = [:]
    var lastKeys: [Int: Int64] = [:]
    /// By the declaring side of a relationship, in the order of addition.
    var pairs: [String: [Pair]] = [:]
    /// By relationship: the order of an owner's members.
    var orders: [String: [Int64: [Int64]]] = [:]
    var names: [ObjectKey: String] = [:]
    var keys: [String: ObjectKey] = [:]
  }

  init(_ model: ModelDescription) {
    let names = model.entities.map(\.name).sorted()
    entities = EntityTable(
      EntityGraph(model), numbers: Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, Int32($0 + 1)) }))
    content = Mutex(Content())
  }

  // MARK: Reading

  func fetch(_ request: FetchRequest) throws -> MemoryRows {
    guard request.predicate == nil, request.sortTerms.isEmpty else {
      throw Problem(description: "the engine was asked for what it cannot do")
    }
    let entity = try entities.existingEntity(request.entityName)
    let kinds = request.includesSubentities ? Set(entity.kindNumbers) : [entity.number]
    let found = rows(of: entity).filter { kinds.contains($0.entity) }.dropFirst(max(0, request.offset ?? 0))
    let limit = request.limit.flatMap { $0 >= 0 ? $0 : nil } ?? .max
    return MemoryRows(found.prefix(limit).map { (0, $0) }, request.columns, entities)
  }

  func fetch(keys: [ObjectKey], columns: [ColumnSelection]) throws -> MemoryRows {
    guard let first = keys.first else { return MemoryRows([], columns, entities) }
    let entity = try existing(first.entity)
    let wanted = Set(keys.map(\.key))
    return MemoryRows(rows(of: entity).filter { wanted.contains($0.key) }.map { (0, $0) }, columns, entities)
  }

  func related(
    to relationship: (entityName: String, name: String), owners: [ObjectKey], columns: [ColumnSelection]
  ) throws -> MemoryRows {
    let entity = try entities.existingEntity(relationship.entityName)
    guard case .toMany(let toMany) = try entities.property(relationship.name, of: entity) else {
      throw QueryError.wrongKind(property: relationship.name, entity: entity.name, expected: .toMany)
    }
    let members = rows(of: try entities.existingEntity(toMany.destinationName))
    let (pairs, orders) = content.withLock { content in
      (
        content.pairs[pairName(toMany)] ?? [],
        content.orders[orderName(relationship.name, of: entity)] ?? [:]
      )
    }
    var found: [(Int64, Row)] = []
    for owner in owners {
      let own: [Row]
      switch toMany.storage {
      case .key:
        own = members.filter { member in
          toMany.inverse.flatMap { member.values[$0.name]?.first } == .integer(owner.key)
        }
      case .listed, .reflexive:
        let keys = Set(pairs.filter { $0.owner == owner.key }.map(\.member))
        own = members.filter { keys.contains($0.key) }
      case .listedByInverse:
        let keys = Set(pairs.filter { $0.member == owner.key }.map(\.owner))
        own = members.filter { keys.contains($0.key) }
      }
      let order = orders[owner.key] ?? []
      let places = Dictionary(order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
      found += own.sorted { (places[$0.key] ?? .max, $0.key) < (places[$1.key] ?? .max, $1.key) }.map {
        (owner.key, $0)
      }
    }
    return MemoryRows(found, columns, entities)
  }

  func count(_ request: FetchRequest) throws -> Int { try fetch(request).count }

  func keys(_ request: FetchRequest) throws -> [ObjectKey] {
    let rows = try fetch(request)
    var keys: [ObjectKey] = []
    while try rows.next() { keys.append(rows.object) }
    return keys
  }

  func hasRow(_ object: ObjectKey) throws -> Bool {
    let hierarchy = try existing(object.entity).hierarchy
    return content.withLock { $0.rows[hierarchy]?[object.key] != nil }
  }

  func keyName(of object: ObjectKey) -> String? { content.withLock { $0.names[object] } }

  func key(named name: String, entity: Int32) -> Int64? {
    content.withLock { content in content.keys[name].flatMap { $0.entity == entity ? $0.key : nil } }
  }

  private func existing(_ number: Int32) throws -> StoreEntity {
    guard let entity = entities.entity(numbered: number) else { throw QueryError.unknownEntityNumber(number) }
    return entity
  }

  private func rows(of entity: StoreEntity) -> [Row] {
    content.withLock { ($0.rows[entity.hierarchy] ?? [:]).values.sorted { $0.key < $1.key } }
  }

  // MARK: Writing

  func save(_ changes: ChangeSet) throws -> SaveResult {
    try content.withLock { content in
      // Nothing is kept of a save that throws.
      var next = content
      let result = try write(changes, into: &next)
      content = next
      return result
    }
  }

  private func write(_ changes: ChangeSet, into content: inout Content) throws -> SaveResult {
    var result = SaveResult()
    var objects: [ObjectKey] = []
    var isMerged = Set<Int>()
    for (index, insertion) in changes.insertions.enumerated() {
      let entity = try existing(insertion.entity)
      if let twin = try twin(of: insertion, entity, objects, changes, content) {
        isMerged.insert(index)
        objects.append(twin)
        insertion.source.assign(twin, wasMerged: true)
        continue
      }
      let object: ObjectKey
      if let key = insertion.formerKey, content.rows[entity.hierarchy]?[key] == nil {
        object = ObjectKey(entity: entity.number, key: key)
      } else {
        let key = (content.lastKeys[entity.hierarchy] ?? 0) + 1
        content.lastKeys[entity.hierarchy] = key
        object = ObjectKey(entity: entity.number, key: key)
        let name = "\(entity.name)-\(UUID().uuidString)"
        content.names[object] = name
        content.keys[name] = object
      }
      objects.append(object)
      insertion.source.assign(object, wasMerged: false)
    }
    var conflicts: [SaveError.Conflict] = []
    func refuse(_ object: ObjectKey, _ expected: Int64?, _ actual: Int64?, _ entity: StoreEntity) {
      conflicts.append(
        .init(entityName: entity.name, object: object, expectedVersion: expected, actualVersion: actual))
    }
    for deletion in changes.deletions {
      let entity = try existing(deletion.object.entity)
      let actual = content.rows[entity.hierarchy]?[deletion.object.key]?.version
      if let expected = deletion.version, expected != actual { refuse(deletion.object, expected, actual, entity) }
      content.rows[entity.hierarchy]?[deletion.object.key] = nil
      forget(deletion.object.key, of: entity, in: &content)
    }
    for update in changes.updates {
      let entity = try existing(update.object.entity)
      var row = content.rows[entity.hierarchy]?[update.object.key]
      if row == nil || update.version.map({ $0 != row?.version }) == true {
        refuse(update.object, update.version, row?.version, entity)
      }
      for (name, values) in try values(of: update.source, update.columns, entity) { row?.values[name] = values }
      row?.version += 1
      result.updatedVersions.append(row?.version ?? 0)
      content.rows[entity.hierarchy]?[update.object.key] = row
    }
    guard conflicts.isEmpty else { throw SaveError.conflicts(conflicts) }
    for (index, (insertion, object)) in zip(changes.insertions, objects).enumerated() {
      let entity = try existing(insertion.entity)
      var row = Row(
        entity: object.entity, key: object.key, values: try values(of: insertion.source, insertion.columns, entity))
      if isMerged.contains(index) {
        row.version = (content.rows[entity.hierarchy]?[object.key]?.version ?? 0) + 1
        result.merged.append((index, object))
      }
      content.rows[entity.hierarchy, default: [:]][object.key] = row
      result.inserted.append((object, row.version))
    }
    // Two new objects may have become one row: a pair that one of them loses and the other one gets lasts.
    for change in changes.relationshipChanges { try removePairs(of: change, objects, from: &content) }
    for change in changes.relationshipChanges { try addPairs(of: change, objects, to: &content) }
    let written =
      zip(objects, changes.insertions).map { ($0, $1.columns) } + changes.updates.map { ($0.object, $0.columns) }
    try alignPartners(written.map { ($0.0, $0.1.map(\.propertyName)) }, &content, &result)
    return result
  }

  /// The row, or an earlier insertion, that has an insertion's values of a uniqueness constraint.
  private func twin(
    of insertion: ChangeSet.Insertion, _ entity: StoreEntity, _ objects: [ObjectKey], _ changes: ChangeSet,
    _ content: Content
  ) throws -> ObjectKey? {
    let lineage = entity.lineage.compactMap { entities.entity(named: $0) }
    for constraint in lineage.flatMap(\.description.uniquenessConstraints) {
      let columns = constraint.map { ColumnSelection(entityName: entity.name, propertyName: $0) }
      let wanted = try values(of: insertion.source, columns, entity)
      guard !wanted.values.joined().contains(.null) else { continue }
      for (other, object) in zip(changes.insertions, objects) where other.entity == insertion.entity {
        if try values(of: other.source, columns, entity) == wanted { return object }
      }
      let row = content.rows[entity.hierarchy]?.values.first { row in
        constraint.allSatisfy { row.values[$0] == wanted[$0] }
      }
      if let row { return ObjectKey(entity: row.entity, key: row.key) }
    }
    return nil
  }

  private func values(
    of source: any RowSource, _ columns: [ColumnSelection], _ entity: StoreEntity
  ) throws -> [String: [StoreValue]] {
    let sink = ValueSink()
    var binder = RowBinder(sink, startingAt: 1)
    try source.bind(columns, into: &binder)
    var start = 0
    var result: [String: [StoreValue]] = [:]
    for column in columns {
      let width = entity.property(named: column.propertyName)?.width ?? 0
      guard start + width <= sink.values.count else {
        throw SaveError.wrongWidth(entity: entity.name, expected: start + width, bound: sink.values.count)
      }
      result[column.propertyName] = Array(sink.values[start..<(start + width)])
      start += width
    }
    return result
  }

  private func removePairs(
    of change: ChangeSet.RelationshipChange, _ inserted: [ObjectKey], from content: inout Content
  ) throws {
    guard !change.removed.isEmpty, let (toMany, owner) = try place(of: change, inserted) else { return }
    let removed = Set(change.removed.flatMap { pairs(owner, object($0, inserted), toMany) })
    content.pairs[pairName(toMany)]?.removeAll(where: removed.contains)
  }

  private func addPairs(
    of change: ChangeSet.RelationshipChange, _ inserted: [ObjectKey], to content: inout Content
  ) throws {
    guard let (toMany, owner) = try place(of: change, inserted) else { return }
    let name = pairName(toMany)
    let added = change.added.flatMap { pairs(owner, object($0, inserted), toMany) }
    var known = content.pairs[name] ?? []
    if toMany.inverse == nil {
      // Without an inverse, a member has one owner.
      let taken = Set(added.map(\.member))
      known.removeAll { taken.contains($0.member) }
    }
    for pair in added where !known.contains(pair) { known.append(pair) }
    content.pairs[name] = known
    if let order = change.order {
      let entity = try existing(owner.entity)
      content.orders[orderName(change.relationship, of: entity), default: [:]][owner.key] = order.map {
        object($0, inserted).key
      }
    }
  }

  private func object(_ reference: ChangeSet.Reference, _ inserted: [ObjectKey]) -> ObjectKey {
    switch reference {
    case .existing(let object): object
    case .inserted(let index): inserted[index]
    }
  }

  private func pairs(_ owner: ObjectKey, _ member: ObjectKey, _ relationship: StoreRelationship) -> [Pair] {
    let pair = Pair(owner: owner.key, member: member.key)
    return relationship.storage == .reflexive ? [pair, Pair(owner: pair.member, member: pair.owner)] : [pair]
  }

  /// The relationship of a change, and its owner; `nil` for a relationship to one.
  private func place(
    of change: ChangeSet.RelationshipChange, _ inserted: [ObjectKey]
  ) throws -> (StoreRelationship, ObjectKey)? {
    let owner = object(change.owner, inserted)
    guard case .toMany(let toMany) = try entities.property(change.relationship, of: existing(owner.entity)) else {
      return nil
    }
    return (toMany, owner)
  }

  /// Removes the pairs of a deleted object.
  private func forget(_ key: Int64, of entity: StoreEntity, in content: inout Content) {
    for case .toMany(let toMany) in entity.properties {
      let name = pairName(toMany)
      content.pairs[name]?.removeAll { pair in
        switch toMany.storage {
        case .key: false
        case .listed: pair.owner == key
        case .listedByInverse: pair.member == key
        case .reflexive: pair.owner == key || pair.member == key
        }
      }
    }
  }

  private func pairName(_ relationship: StoreRelationship) -> String {
    relationship.storage == .listedByInverse
      ? "\(relationship.inverseEntityName ?? "").\(relationship.inverse?.name ?? "")"
      : "\(relationship.declaringEntityName).\(relationship.description.name)"
  }

  private func orderName(_ relationship: String, of entity: StoreEntity) -> String {
    "\(entity.hierarchy).\(relationship)"
  }

  struct Problem: Error, CustomStringConvertible { let description: String }
}

/// Rows of ``MemoryEngine``, with their owners.
final class MemoryRows: ObjectRows {
  private let rows: [(owner: Int64, row: MemoryEngine.Row)]
  private let columns: [ColumnSelection]
  private let entities: EntityTable
  private var position = -1
  private var values: [StoreValue] = []
  private var slots: [Int32: [Slot]] = [:]

  init(_ rows: [(Int64, MemoryEngine.Row)], _ columns: [ColumnSelection], _ entities: EntityTable) {
    self.rows = rows
    self.columns = columns
    self.entities = entities
  }

  var count: Int { rows.count }
  var soleEntity: Int32? { nil }
  var key: Int64 { rows[position].row.key }
  var entity: Int32 { rows[position].row.entity }
  var version: Int64 { rows[position].row.version }
  var owner: Int64 { rows[position].owner }

  func next() throws -> Bool {
    position += 1
    guard position < rows.count else { return false }
    let row = rows[position].row
    values.removeAll(keepingCapacity: true)
    for slot in slots(of: row.entity) {
      if let name = slot.name, let own = row.values[name] { values += own } else { values += slot.nulls }
    }
    return true
  }

  /// Where the values of each column are in the rows of an entity; found once, since tests read the same rows often.
  private func slots(of entity: Int32) -> [Slot] {
    if let known = slots[entity] { return known }
    let own = entities.entity(numbered: entity)
    let found = columns.map { column in
      let width = entities.entity(named: column.entityName)?.property(named: column.propertyName)?.width ?? 0
      return Slot(
        name: own?.property(named: column.propertyName).map { _ in column.propertyName },
        nulls: [StoreValue](repeating: .null, count: width))
    }
    slots[entity] = found
    return found
  }

  private struct Slot {
    /// `nil` if the entity lacks the property.
    let name: String?
    let nulls: [StoreValue]
  }

  func value(_ column: Int) -> StoreValue { values.indices.contains(column) ? values[column] : .null }

  func close() { position = rows.count }
}

internal import Foundation
internal import ManagedModel
internal import StoreRequests
internal import Synchronization

/// Makes a custom store an engine: snapshots become rows, and objects become snapshots.
///
/// The store is used by one thread at a time. It neither selects nor sorts for requests, which name properties of the model; it
/// does for descriptors, as far as it can.
final class SnapshotEngine<Store: DataStore>: DescriptorEngine, @unchecked Sendable {  // all state is under the lock
  let identifier: String
  let entities: EntityTable
  let capabilities: StoreCapabilities = [.readWhileSaving]
  let store: Store
  /// By entity name.
  let classes: [String: ModelClass]
  /// Recursive: to make a snapshot of an object may load its relationships.
  private let lock = NSRecursiveLock()
  var table = SnapshotKeys()
  /// Snapshots that the store gave beside others; they answer requests until the next save or fetch.
  private var related: [PersistentIdentifier: Store.Snapshot] = [:]
  /// Whether another container has saved to the store since ``related`` was last used. Set without the lock.
  private let isChangedElsewhere = Atomic(false)
  /// The state of requests that no context made.
  private let ownState = EditingState()
  private var knownStates: Set<UUID> = []
  let oneToOne: [OneToOne<PartnerSide>]
  /// Relationships with links that lead nowhere, which are logged once.
  var unsavedLinks: Set<String> = []

  init(_ store: Store, _ model: ModelDescription, _ classes: [String: ModelClass]) {
    self.store = store
    self.classes = classes.filter { name, _ in model.entities.contains { $0.name == name } }
    identifier = store.identifier
    let names = model.entities.map(\.name).sorted()
    entities = EntityTable(
      EntityGraph(model), numbers: Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, Int32($0 + 1)) }))
    oneToOne = OneToOne.all(in: entities)
  }

  /// Runs a closure that uses the store.
  func using<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try SnapshotClasses.$current.withValue(classes, operation: body)
  }

  func existing(_ number: Int32) throws -> StoreEntity {
    guard let entity = entities.entity(numbered: number) else { throw QueryError.unknownEntityNumber(number) }
    return entity
  }

  func keep(_ snapshots: [PersistentIdentifier: Store.Snapshot]) { related = snapshots }

  // MARK: Descriptors

  func fetch<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, columns: [ColumnSelection], for state: EditingState
  ) throws -> DescriptorRows {
    try using {
      let answer = try ask(descriptor, state)
      let rows = try answer.snapshots.map { try row(of: $0) }
      related = answer.result.relatedSnapshots
      return DescriptorRows(
        rows: SnapshotRows(rows, columns, entities), filtersInMemory: answer.filtersInMemory,
        sortsInMemory: answer.sortsInMemory)
    }
  }

  private struct Answer<Model: PersistentModel> {
    /// The fetched objects of the class and its subclasses, within the limits that the store was given.
    let snapshots: [Store.Snapshot]
    let result: DataStoreFetchResult<Model, Store.Snapshot>
    let filtersInMemory: Bool
    let sortsInMemory: Bool
  }

  /// Asks the store; leaves out what the store prefers to be done in memory, and then the limits, too.
  private func ask<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, _ state: EditingState
  ) throws -> Answer<Model> {
    begin(state)
    var asked = descriptor
    var filters = false
    var sorts = false
    while true {
      do {
        let request = DataStoreFetchRequest(editingState: state, descriptor: asked)
        let result = try store.fetch(request)
        return Answer(
          snapshots: try store.selected(result, by: request), result: result, filtersInMemory: filters,
          sortsInMemory: sorts)
      } catch DataStoreError.preferInMemoryFilter where asked.predicate != nil {
        asked.predicate = nil
        filters = true
      } catch DataStoreError.preferInMemorySort where !asked.sortBy.isEmpty {
        asked.sortBy = []
        sorts = true
      }
      asked.fetchLimit = nil
      asked.fetchOffset = nil
    }
  }

  func count<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, for state: EditingState) throws -> Int? {
    try using {
      begin(state)
      let count = try ifSupported {
        try store.fetchCount(DataStoreFetchRequest(editingState: state, descriptor: descriptor))
      }
      return count.flatMap { $0 < 0 ? nil : $0 }
    }
  }

  func keys<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, for state: EditingState
  ) throws -> [ObjectKey]? {
    try using {
      begin(state)
      let found = try ifSupported {
        try store.fetchIdentifiers(DataStoreFetchRequest(editingState: state, descriptor: descriptor))
      }
      return try found.map { try objectKeys(of: $0, Model.self) }
    }
  }

  /// The result of `body`; `nil` if the store leaves the work to the framework.
  private func ifSupported<Result>(_ body: () throws -> Result) throws -> Result? {
    do { return try body() } catch let error as DataStoreError where error != .invalidPredicate { return nil }
  }

  var deletesByPredicate: Bool { store is any DataStoreBatching }

  func eraseAll() throws -> [ObjectKey]? {
    try using {
      guard try ifSupported({ try store.erase() }) != nil else { return nil }
      related = [:]
      return table.forgetAll()
    }
  }

  func hasSameStore(as other: any DescriptorEngine) -> Bool {
    guard let other = other as? SnapshotEngine<Store> else { return false }
    return identifier == other.identifier && store.configuration == other.store.configuration
  }

  func storeDidChangeElsewhere() { isChangedElsewhere.store(true, ordering: .releasing) }

  // MARK: Contexts

  func contextDidEnd(_ state: EditingState) {
    using { if knownStates.remove(state.id) != nil { store.invalidateState(for: state) } }
  }

  func begin(_ state: EditingState) {
    if knownStates.insert(state.id).inserted { store.initializeState(for: state) }
  }

  // MARK: Identifiers

  func keyName(of object: ObjectKey) -> String? { using { table.identifier(of: object)?.primaryKey } }

  func key(named name: String, entity: Int32) -> Int64? {
    guard let entity = entities.entity(numbered: entity) else { return nil }
    let reference = EntityReference(storeIdentifier: identifier, name: entity.name)
    // A program may have an identifier of an object that was not fetched yet.
    return using { table.key(of: PersistentIdentifier(entity: reference, primaryKey: name), entity).key }
  }

  // MARK: Snapshots

  /// The snapshots of these rows, in no order; rows that the store does not have are left out.
  func snapshots(for objects: [ObjectKey]) throws -> [ObjectKey: Store.Snapshot] {
    var found: [ObjectKey: Store.Snapshot] = [:]
    func take(_ snapshots: [PersistentIdentifier: Store.Snapshot]) {
      for object in objects where found[object] == nil {
        guard let identifier = table.identifier(of: object), let snapshot = snapshots[identifier] else { continue }
        // A store may name a snapshot wrongly: that of another object says nothing about this one.
        if snapshot.persistentIdentifier == identifier { found[object] = snapshot }
      }
    }
    func missing() -> [ObjectKey] { objects.filter { found[$0] == nil && table.identifier(of: $0) != nil } }
    if isChangedElsewhere.exchange(false, ordering: .acquiringAndReleasing) { related = [:] }
    take(related)
    if !missing().isEmpty {
      let identifiers = missing().compactMap { table.identifier(of: $0) }
      if let cached = try ifSupported({ try store.cachedSnapshots(for: identifiers, editingState: ownState) }) {
        take(cached)
      }
    }
    for (entity, group) in Dictionary(grouping: missing(), by: \.entity).sorted(by: { $0.key < $1.key }) {
      let entity = try existing(entity)
      guard let type = classes[entity.name]?.type else { continue }
      let wanted = group.compactMap { table.identifier(of: $0) }
      take(Dictionary(try fetch(wanted, as: type).map { ($0.persistentIdentifier, $0) }) { first, _ in first })
    }
    return found
  }

  private func fetch<Model: PersistentModel>(
    _ identifiers: [PersistentIdentifier], as type: Model.Type
  ) throws -> [Store.Snapshot] {
    let predicate = #Predicate<Model> { identifiers.contains($0.persistentModelID) }
    return try ask(FetchDescriptor<Model>(predicate: predicate), ownState).result.fetchedSnapshots
  }

  /// All snapshots of an entity and its subentities.
  private func allSnapshots(of entity: StoreEntity) throws -> [Store.Snapshot] {
    func fetchAll<Model: PersistentModel>(_ type: Model.Type) throws -> [Store.Snapshot] {
      try ask(FetchDescriptor<Model>(), ownState).snapshots
    }
    return try classes[entity.name].map { try fetchAll($0.type) } ?? []
  }

  /// All rows of an entity and its subentities, in the order of their keys.
  func allRows(of entity: StoreEntity) throws -> [SnapshotRow] {
    try allSnapshots(of: entity).map { try row(of: $0) }.sorted { $0.object.key < $1.object.key }
  }

  func row(of snapshot: Store.Snapshot) throws -> SnapshotRow {
    try refuseForeign(snapshot.persistentIdentifier)
    let (identifier, content) = try content(of: snapshot, replacing: [:])
    let object = table.key(of: identifier, content.entity)
    return SnapshotRow(object: object, version: table.version(of: object, hash: content.hash), content: content)
  }
}

// Requests.
extension SnapshotEngine {
  func fetch(_ request: FetchRequest) throws -> SnapshotRows {
    try using { SnapshotRows(try rows(request), request.columns, entities) }
  }

  private func rows(_ request: FetchRequest) throws -> [SnapshotRow] {
    let entity = try entities.existingEntity(request.entityName)
    let kinds = request.includesSubentities ? Set(entity.kindNumbers) : [entity.number]
    let found = try allRows(of: entity).filter { kinds.contains($0.object.entity) }
    let rest = found.dropFirst(max(0, request.offset ?? 0))
    guard let limit = request.limit, limit >= 0 else { return Array(rest) }
    return Array(rest.prefix(limit))
  }

  func fetch(keys: [ObjectKey], columns: [ColumnSelection]) throws -> SnapshotRows {
    try using {
      let found = try snapshots(for: keys)
      return SnapshotRows(try keys.compactMap { try found[$0].map { try row(of: $0) } }, columns, entities)
    }
  }

  func count(_ request: FetchRequest) throws -> Int { try using { try rows(request).count } }

  func keys(_ request: FetchRequest) throws -> [ObjectKey] { try using { try rows(request).map(\.object) } }

  func hasRow(_ object: ObjectKey) throws -> Bool {
    try using {
      guard table.identifier(of: object) != nil else { return false }
      return try !snapshots(for: [object]).isEmpty
    }
  }

  /// All rows of an entity, by the keys of the objects to which a relationship leads.
  private func rows(of entity: StoreEntity, byOwnerIn name: String) throws -> [Int64: [SnapshotRow]] {
    var groups: [Int64: [SnapshotRow]] = [:]
    for row in try allRows(of: entity) {
      if case .integer(let owner)? = row.content.values[name]?.first { groups[owner, default: []].append(row) }
    }
    return groups
  }

  func related(
    to relationship: (entityName: String, name: String), owners: [ObjectKey], columns: [ColumnSelection]
  ) throws -> SnapshotRows {
    try using {
      let entity = try entities.existingEntity(relationship.entityName)
      guard case .toMany(let toMany) = try entities.property(relationship.name, of: entity) else {
        throw QueryError.wrongKind(property: relationship.name, entity: entity.name, expected: .toMany)
      }
      let destination = try entities.existingEntity(toMany.destinationName)
      /// All members by the keys of their owners, for snapshots without lists.
      var byOwner: [Int64: [SnapshotRow]]?
      var result: [(Int64, SnapshotRow)] = []
      let snapshots = try snapshots(for: owners)
      for owner in owners {
        guard let own = try snapshots[owner].map({ try row(of: $0) }) else { continue }
        let members: [SnapshotRow]
        if let listed = own.content.members[relationship.name] {
          let keys = listed.map { table.key(of: $0, entities.entity(named: $0.entityName) ?? destination) }
          let found = try self.snapshots(for: keys)
          members = try keys.compactMap { try found[$0].map { try row(of: $0) } }
        } else if let inverse = toMany.inverse, !inverse.isToMany {
          // The snapshot lacks the relationship: its to-one inverse has it, too.
          let groups = try byOwner ?? self.rows(of: destination, byOwnerIn: inverse.name)
          byOwner = groups
          members = groups[owner.key] ?? []
        } else {
          members = []
        }
        let isOrdered = toMany.description.isOrdered
        result += (isOrdered ? members : members.sorted { $0.object.key < $1.object.key }).map { (owner.key, $0) }
      }
      return SnapshotRows(result, columns, entities)
    }
  }
}

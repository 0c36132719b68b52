import Foundation
import SwiftData

/// A store in memory with integers as keys and a snapshot type of its own. It leaves predicates and sort orders to the framework,
/// and keeps a count of its requests.
final class DictionaryStore: DataStore, DataStoreBatching {
  typealias Configuration = DictionaryConfiguration

  let configuration: DictionaryConfiguration
  let identifier = "dictionary-\(UUID().uuidString)"
  let schema: Schema
  private(set) var log = RequestLog()
  private var rows: [PersistentIdentifier: Snapshot] = [:]
  private var order: [PersistentIdentifier] = []
  private var lastKey = 0

  struct RequestLog {
    var fetches = 0
    var counts = 0
    var lookUps = 0
    var saves = 0
    var states: Set<UUID> = []
    var authors: [String?] = []
    var deletedNames: [String] = []
  }

  init(_ configuration: DictionaryConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
    configuration.box.store = self
    configuration.box.migrationPlan = migrationPlan
    try configuration.box.failure.map { throw $0 }
  }

  /// The values as text by property, in JSON.
  struct Snapshot: DataStoreSnapshot {
    let persistentIdentifier: PersistentIdentifier
    var content: DefaultSnapshot

    init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
      content = DefaultSnapshot(from: backingData, relatedBackingDatas: &relatedBackingDatas)
      persistentIdentifier = content.persistentIdentifier
    }

    func copy(
      persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> Snapshot {
      Snapshot(content.copy(persistentIdentifier: persistentIdentifier, remappedIdentifiers: remappedIdentifiers))
    }

    /// A property's text, by way of the snapshot's coding.
    func text(_ name: String) throws -> String? { try object()[name] as? String }

    /// The snapshot with another text of a property.
    func changing(_ name: String, _ change: (String) -> String) throws -> Snapshot {
      var object = try object()
      object[name] = (object[name] as? String).map(change)
      return try JSONDecoder().decode(Snapshot.self, from: JSONSerialization.data(withJSONObject: object))
    }

    private func object() throws -> [String: Any] {
      try JSONSerialization.jsonObject(with: JSONEncoder().encode(self)) as? [String: Any] ?? [:]
    }

    private init(_ content: DefaultSnapshot) {
      self.content = content
      persistentIdentifier = content.persistentIdentifier
    }

    init(from decoder: any Decoder) throws { self.init(try DefaultSnapshot(from: decoder)) }
    func encode(to encoder: any Encoder) throws { try content.encode(to: encoder) }
  }

  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot> {
    log.fetches += 1
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    func names(_ entity: Schema.Entity) -> [String] { [entity.name] + entity.subentities.flatMap(names) }
    let names = Set(schema.entity(for: T.self).map(names) ?? [])
    let found = order.filter { names.contains($0.entityName) }.compactMap { rows[$0] }
    let rest = found.dropFirst(request.descriptor.fetchOffset ?? 0).prefix(request.descriptor.fetchLimit ?? .max)
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: Array(rest))
  }

  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    log.counts += 1
    return try fetch(request).fetchedSnapshots.count
  }

  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] {
    log.lookUps += 1
    return rows.filter { persistentIdentifiers.contains($0.key) }
  }

  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot> {
    if let failure = configuration.box.saveFailure { throw failure }
    log.saves += 1
    log.authors.append(request.editingState.author)
    log.deletedNames += request.deleted.map(\.persistentIdentifier.entityName)
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      if let twin = twin(of: snapshot) {
        remapped[snapshot.persistentIdentifier] = twin
        continue
      }
      lastKey += 1
      remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: lastKey)
    }
    var changed: [PersistentIdentifier: Snapshot] = [:]
    for snapshot in request.inserted + request.updated {
      let permanent = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      if rows[permanent] == nil { order.append(permanent) }
      let saved = snapshot.copy(persistentIdentifier: permanent, remappedIdentifiers: remapped)
      rows[permanent] = try configuration.box.echo.map { try saved.changing("text", $0) } ?? saved
      if configuration.box.echo != nil { changed[permanent] = rows[permanent] }
    }
    for snapshot in request.deleted {
      rows[snapshot.persistentIdentifier] = nil
      order.removeAll { $0 == snapshot.persistentIdentifier }
    }
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: remapped, snapshotsToReregister: changed)
  }

  private func twin(of snapshot: Snapshot) -> PersistentIdentifier? {
    guard let name = configuration.box.uniqueProperty, let value = try? snapshot.text(name) else { return nil }
    return rows.first { (try? $0.value.text(name)) == value }?.key
  }

  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    guard request.predicate == nil else { throw DataStoreError.unsupportedFeature }
    let names = [schema.entity(for: T.self)?.name].compactMap(\.self)
    for identifier in order where names.contains(identifier.entityName) { rows[identifier] = nil }
    order.removeAll { names.contains($0.entityName) }
  }

  func initializeState(for editingState: EditingState) { log.states.insert(editingState.id) }

  func invalidateState(for editingState: EditingState) { log.states.remove(editingState.id) }
}

struct DictionaryConfiguration: DataStoreConfiguration {
  typealias Store = DictionaryStore

  var name: String
  var schema: Schema?
  let box = Box()

  init(name: String = "dictionary", schema: Schema? = nil) {
    self.name = name
    self.schema = schema
  }

  static func == (left: Self, right: Self) -> Bool { left.box === right.box }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(box)) }

  /// The store that was made, and how it is to fail.
  final class Box {
    var store: DictionaryStore?
    var migrationPlan: (any SchemaMigrationPlan.Type)?
    var failure: (any Error)?
    var saveFailure: (any Error)?
    /// Changes the text of each saved note.
    var echo: ((String) -> String)?
    /// A property whose value no two objects share.
    var uniqueProperty: String?
  }
}

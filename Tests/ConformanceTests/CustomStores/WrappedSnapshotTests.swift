import Foundation
import SwiftData
import Testing

/// A store whose snapshots wrap the framework's and are coded by the compiler.
@Suite("Snapshots that wrap the framework's") struct WrappedSnapshotTests {
  @Model final class Kite {
    var name: String
    var tail: Kite?
    /// Called like a field of the wrapper.
    var revision: Int?
    init(name: String) { self.name = name }
  }

  @Test("Values and links are found in the wrapped snapshot")
  func roundTrip() throws {
    let configuration = WrappingConfiguration()
    func context() throws -> ModelContext {
      ModelContext(try ModelContainer(for: Schema([Kite.self]), configurations: [configuration]))
    }
    let writing = try context()
    let kite = Kite(name: "red")
    kite.tail = Kite(name: "blue")
    kite.revision = 7
    writing.insert(kite)
    try writing.save()
    let reading = try context()
    let sort = SortDescriptor(\Kite.name)
    let kites = try reading.fetch(FetchDescriptor(sortBy: [sort]))
    #expect(kites.map(\.name) == ["blue", "red"] && kites.last?.tail === kites.first)
    #expect(kites.map(\.revision) == [nil, 7])
    kites.first?.name = "green"
    try reading.save()
    #expect(try context().fetch(FetchDescriptor(sortBy: [sort])).map(\.name) == ["green", "red"])
    #expect(configuration.content.rows.values.allSatisfy { $0.revision == 1 })
  }
}

struct WrappingSnapshot: DataStoreSnapshot {
  var persistentIdentifier: PersistentIdentifier
  var revision = 1
  var content: DefaultSnapshot

  init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
    content = DefaultSnapshot(from: backingData, relatedBackingDatas: &relatedBackingDatas)
    persistentIdentifier = content.persistentIdentifier
  }

  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self {
    var copy = self
    copy.persistentIdentifier = persistentIdentifier
    copy.content = content.copy(persistentIdentifier: persistentIdentifier, remappedIdentifiers: remappedIdentifiers)
    return copy
  }
}

final class WrappingStore: DataStore {
  typealias Configuration = WrappingConfiguration
  typealias Snapshot = WrappingSnapshot

  let configuration: WrappingConfiguration
  let identifier = "wrapping"
  let schema: Schema

  init(_ configuration: WrappingConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, WrappingSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let rows = configuration.content.rows
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: rows.sorted { $0.key < $1.key }.map(\.value))
  }

  func save(
    _ request: DataStoreSaveChangesRequest<WrappingSnapshot>
  ) throws -> DataStoreSaveChangesResult<WrappingSnapshot> {
    let content = configuration.content
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: content.rows.count + remapped.count + 1)
    }
    for snapshot in request.inserted {
      guard let permanent = remapped[snapshot.persistentIdentifier] else { continue }
      content.rows[permanent] = snapshot.copy(persistentIdentifier: permanent, remappedIdentifiers: remapped)
    }
    for snapshot in request.updated { content.rows[snapshot.persistentIdentifier] = snapshot }
    for snapshot in request.deleted { content.rows[snapshot.persistentIdentifier] = nil }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }

  func erase() throws { configuration.content.rows = [:] }
}

struct WrappingConfiguration: DataStoreConfiguration {
  typealias Store = WrappingStore

  /// What the store keeps.
  final class Content { var rows: [PersistentIdentifier: WrappingSnapshot] = [:] }

  var name = "wrapping"
  var schema: Schema?
  let content = Content()

  static func == (left: Self, right: Self) -> Bool { left.content === right.content }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(content)) }
}

import Foundation
import ManagedModel
import SQLite
import StoreRequests
@testable import StoreInspection
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// A store whose pictures may be in files, on disk or in memory.
final class ExternalDataWorld {
  let folder: TemporaryStore
  var store: PersistentStore

  static let model = ModelDescription(entities: [
    EntityDescription(
      name: "Picture",
      properties: [
        FetchTestWorld.attribute("title", .string),
        .attribute(
          AttributeDescription(name: "image", type: .binary, isOptional: true, allowsExternalBinaryDataStorage: true)),
        .attribute(AttributeDescription(name: "plain", type: .binary, isOptional: true)),
      ], uniquenessConstraints: [["title"]]),
    EntityDescription(
      name: "Poster", superentityName: "Picture",
      properties: [
        .attribute(
          AttributeDescription(name: "print", type: .binary, isOptional: true, allowsExternalBinaryDataStorage: true))
      ]),
  ])

  init(name: String = "Album.sqlite", inMemory: Bool = false) throws {
    folder = try TemporaryStore(name: name, damage: "rows by plain SQL, with any file name")
    store =
      inMemory
      ? try PersistentStore.inMemory(model: Self.model) : try PersistentStore.open(at: folder.url, model: Self.model)
  }

  /// Opens the store again, as another process would.
  func another() throws -> PersistentStore { try PersistentStore.open(at: folder.url) }

  /// The files of the store, held against the rows that refer to them.
  func externalFiles(of store: PersistentStore? = nil) throws -> ExternalFiles {
    let store = store ?? self.store
    return try store.read { connection in
      try ExternalFiles(connection, store.layout.externalColumns, folder: try #require(store.externalData))
    }
  }

  /// A value that has a file of its own, another one for each seed.
  static func big(_ seed: UInt8, count: Int = StoredData.threshold + 1) -> Data {
    Data.pattern(count: count) { UInt8(truncatingIfNeeded: $0 &* 31) ^ seed }
  }

  @discardableResult
  func insert(_ values: [String: StoreValue], of entity: String = "Picture") throws -> ObjectKey {
    var changes = ChangeSet()
    changes.insertions = [insertion(entity, values)]
    return try store.save(changes).inserted[0].object
  }

  func insertion(_ entity: String, _ values: [String: StoreValue]) -> ChangeSet.Insertion {
    ChangeSet.Insertion(
      entity: Int32(store.layout.entity(named: entity)?.number ?? 0), columns: columns(entity, values),
      source: StoreValuesRow(values: values))
  }

  func update(
    _ object: ObjectKey, version: Int64? = nil, _ values: [String: StoreValue], in store: PersistentStore? = nil
  ) throws {
    var changes = ChangeSet()
    changes.updates = [
      .init(
        object: object, version: version, columns: columns("Picture", values),
        changedProperties: values.keys.sorted(), source: StoreValuesRow(values: values))
    ]
    _ = try (store ?? self.store).save(changes)
  }

  func delete(_ object: ObjectKey, in store: PersistentStore? = nil) throws {
    var changes = ChangeSet()
    changes.deletions = [.init(object: object, version: nil)]
    _ = try (store ?? self.store).save(changes)
  }

  private func columns(_ entity: String, _ values: [String: StoreValue]) -> [ColumnSelection] {
    values.keys.sorted().map { ColumnSelection(entityName: entity, propertyName: $0) }
  }

  /// The images of all pictures, by key.
  func images(in store: PersistentStore? = nil) throws -> [StoreValue] {
    try (store ?? self.store).rows(of: "Picture", properties: ["image"]).map { $0[3] }
  }

  /// The number of pictures without an image.
  func absentCount(in store: PersistentStore? = nil) throws -> Int {
    try (store ?? self.store).count(
      FetchRequest(
        entityName: "Picture", predicate: .isNull(.attribute(FetchPath(), name: "image", element: []))))
  }

  /// What the column holds, by key, on a connection of the test's own.
  func stored(_ column: String = "ZIMAGE") throws -> [Data?] {
    try PlainSQL.rows(folder.url, "SELECT \(column) FROM ZPICTURE ORDER BY Z_PK").map {
      if case .blob(let data) = $0[0] { data } else { nil }
    }
  }

  /// The names of the files, found without the store's code.
  func files(_ store: URL? = nil) throws -> [String] {
    let path = filesFolder(store).path
    return FileManager.default.fileExists(atPath: path)
      ? try FileManager.default.contentsOfDirectory(atPath: path).sorted() : []
  }

  func filesFolder(_ store: URL? = nil) -> URL {
    let store = store ?? folder.url
    return store.deletingLastPathComponent().appendingPathComponent(
      ".\(store.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA")
  }
}

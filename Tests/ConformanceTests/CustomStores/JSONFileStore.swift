import Foundation
import SwiftData

/// A store that keeps all its objects in one file of JSON, read and written whole.
///
/// It writes nothing while a file of its name with the extension `lock` exists.
final class JSONFileStore: DataStore {
  typealias Configuration = JSONFileConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: JSONFileConfiguration
  let identifier: String
  let schema: Schema

  init(_ configuration: JSONFileConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    guard let schema = configuration.schema else { throw DataStoreError.unsupportedFeature }
    self.configuration = configuration
    self.schema = schema
    identifier = configuration.url.lastPathComponent
    for case .lightweight(_, let version) in migrationPlan?.stages ?? [] {
      try renameFields(Schema(versionedSchema: version))
    }
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let all = try read()
    func names(_ entity: Schema.Entity) -> [String] { [entity.name] + entity.subentities.flatMap(names) }
    let names = Set(schema.entity(for: T.self).map(names) ?? [])
    var found = all.filter { names.contains($0.persistentIdentifier.entityName) }
    found = Array(found.dropFirst(request.descriptor.fetchOffset ?? 0).prefix(request.descriptor.fetchLimit ?? .max))
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: found,
      relatedSnapshots: Dictionary(uniqueKeysWithValues: all.map { ($0.persistentIdentifier, $0) }))
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: UUID())
    }
    let changed = request.inserted + request.updated
    let written = Dictionary(
      uniqueKeysWithValues: changed.map { snapshot in
        let permanent = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
        return (permanent, snapshot.copy(persistentIdentifier: permanent, remappedIdentifiers: remapped))
      })
    let deleted = Set(request.deleted.map(\.persistentIdentifier))
    var all = try read().filter { !deleted.contains($0.persistentIdentifier) }
    all = all.map { written[$0.persistentIdentifier] ?? $0 }
    all += request.inserted.compactMap { remapped[$0.persistentIdentifier].flatMap { written[$0] } }
    try write(all)
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }

  func erase() throws { try write([]) }

  /// Renames the fields whose properties have another name in a version. A file of that version has no field with a former name.
  private func renameFields(_ version: Schema) throws {
    guard let data = try? Data(contentsOf: configuration.url) else { return }
    guard var objects = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] else { return }
    let identifiers = try JSONDecoder().decode([Header].self, from: data).map(\.persistentIdentifier)
    for (index, identifier) in identifiers.enumerated() {
      for attribute in version.entitiesByName[identifier.entityName]?.attributes ?? [] {
        guard attribute.originalName != attribute.name else { continue }
        guard let value = objects[index].removeValue(forKey: attribute.originalName) else { continue }
        objects[index][attribute.name] = value
      }
    }
    try JSONSerialization.data(withJSONObject: objects).write(to: configuration.url, options: .atomic)
  }

  private struct Header: Decodable {
    let persistentIdentifier: PersistentIdentifier
  }

  private func read() throws -> [DefaultSnapshot] {
    guard FileManager.default.fileExists(atPath: configuration.url.path) else { return [] }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode([DefaultSnapshot].self, from: Data(contentsOf: configuration.url))
  }

  private func write(_ snapshots: [DefaultSnapshot]) throws {
    guard !FileManager.default.fileExists(atPath: configuration.url.appendingPathExtension("lock").path) else {
      throw CocoaError(.fileWriteNoPermission)
    }
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(snapshots).write(to: configuration.url, options: .atomic)
  }
}

struct JSONFileConfiguration: DataStoreConfiguration {
  typealias Store = JSONFileStore

  var name: String
  var schema: Schema?
  var url: URL

  init(name: String = "JSON", schema: Schema? = nil, url: URL) {
    self.name = name
    self.schema = schema
    self.url = url
  }
}

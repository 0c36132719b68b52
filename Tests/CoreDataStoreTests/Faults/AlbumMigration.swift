import Foundation
import ManagedModel
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore
@testable import StoreInspection

/// A way to migrate the store of ``MappedAlbum``, whose big values are in files.
enum AlbumMigration: String, CaseIterable {
  /// In one transaction of the store: entities get other numbers and names, two attributes other names, and an attribute with big values goes.
  case inferred
  /// By a mapping model, on a copy.
  case mapping

  private static let inferredModel = MappingWorld.model(
    EntityDescription(name: "Aardvark", properties: [MappingWorld.attribute("name", .string)]),
    EntityDescription(
      name: "Photo",
      properties: [
        renamed(MappingWorld.attribute("picture", .binary, isExternal: true), "image"),
        renamed(MappingWorld.attribute("isFavourite", .boolean), "isKept"),
        MappingWorld.relationship("album", "Series", "pictures"),
      ], renamingIdentifier: "Picture"),
    EntityDescription(
      name: "Series",
      properties: [
        MappingWorld.attribute("thumbnail", .binary, isExternal: true),
        MappingWorld.relationship("pictures", "Photo", "album", toMany: true),
      ], renamingIdentifier: "Album"))

  private static func renamed(_ property: PropertyDescription, _ former: String) -> PropertyDescription {
    guard case .attribute(var attribute) = property else { return property }
    attribute.renamingIdentifier = former
    return .attribute(attribute)
  }

  /// - Throws: the errors of the migration; does not wait for other programs.
  func run(_ url: URL) throws {
    switch self {
    case .inferred:
      try PersistentStore.migrate(
        at: url, through: [Self.inferredModel], options: StoreOptions(busyTimeout: .zero))
    case .mapping:
      try PersistentStore.migrate(
        at: url, by: MappedAlbum.mapping, from: MappedAlbum.source, to: MappedAlbum.destination, busyTimeout: .zero)
    }
  }

  /// Whether the store is the migrated one, and its files that are missing or too many. Its rows and values have to be those of the one or the other.
  func state(_ url: URL, _ comment: Comment) throws -> (isNew: Bool, missing: [String], unreferenced: [String]) {
    guard self == .inferred else { return try MappedAlbum.state(url, comment) }
    let store = try PersistentStore.open(at: url)
    defer { store.close() }
    guard store.layout.entity(named: "Series") != nil else { return try MappedAlbum.state(url, comment) }
    let rows = try store.rows(of: "Photo", properties: ["picture", "isFavourite", "album"])
    for (row, (seed, isFavourite)) in zip(rows, [(1, true), (2, true), (3, false)]) {
      #expect(row[3] == .blob(ExternalDataWorld.big(UInt8(seed))), comment)
      #expect(row[4] == .integer(isFavourite ? 1 : 0) && row[5] == .integer(1), comment)
    }
    #expect(rows.count == 3, comment)
    #expect(try store.rows(of: "Series", properties: ["thumbnail"]).map(\.last) == [.null], comment)
    let files = try MappedAlbum.files(store)
    store.close()
    try Oracle.expectSound(url, comment)
    return (true, files.missing, files.unreferenced)
  }

  /// A copy of a closed store with its files, in a folder of its own.
  static func place(_ template: TemporaryStore) throws -> TemporaryStore {
    let place = try TemporaryStore(name: template.url.lastPathComponent)
    try FileManager.default.removeItem(at: place.folder)
    try FileManager.default.copyItem(at: template.folder, to: place.folder)
    return place
  }

  /// Expects that the next program that opens the store, or migrates it, finds it whole and leaves nothing of the interrupted migration.
  func expectWhole(_ url: URL, _ comment: Comment) throws {
    var state = try state(url, comment)
    #expect(state.missing.isEmpty, comment)
    if state.isNew { AbandonedDraft.sweep(url) } else { try run(url) }
    state = try self.state(url, comment)
    #expect(state.isNew && state.missing.isEmpty && state.unreferenced.isEmpty, comment)
    let names = try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
    #expect(Set(names) == ["Album.store", ".Album_SUPPORT"], comment)
  }
}

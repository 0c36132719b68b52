import CoreDataModel
import Foundation
import ManagedModel
import StoreRequests
import Synchronization
import TestSupport
import Testing

@testable import CoreDataStore

/// Stores of old versions that real apps left, migrated through the later versions of their models.
@Suite("Migrating real stores", .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
struct MigrationFixtureTests {
  /// The versions of a model that follow a store's, oldest first.
  private static func later(than hashes: VersionHashes, in versions: Versions) -> [ModelVersion] {
    guard let index = versions.firstIndex(where: { $0.hashes == hashes }) else { return [] }
    return versions[(index + 1)...].map(\.version)
  }

  /// The quick run takes some of Wire's stores.
  static let cases =
    FullTests.areWanted
    ? all
    : all.filter {
      !$0.store.hasPrefix("wireapp") || ["2-4.", "2-63", "2-99"].contains(where: $0.store.contains)
    }

  private static let all: [(store: String, bundle: String)] = [
    (
      "duckduckgo__BrowserServicesKit__Bookmarks_V1.sqlite",
      "duckduckgo__BrowserServicesKit/BookmarksModel.xcdatamodeld"
    ),
    (
      "duckduckgo__BrowserServicesKit__Bookmarks_V2.sqlite",
      "duckduckgo__BrowserServicesKit/BookmarksModel.xcdatamodeld"
    ),
    (
      "duckduckgo__BrowserServicesKit__Bookmarks_V3.sqlite",
      "duckduckgo__BrowserServicesKit/BookmarksModel.xcdatamodeld"
    ),
    (
      "duckduckgo__BrowserServicesKit__Bookmarks_V5.sqlite",
      "duckduckgo__BrowserServicesKit/BookmarksModel.xcdatamodeld"
    ),
    ("wireapp__wire-ios-data-model__store1-24.wiredatabase", "wireapp__wire-ios-data-model/zmessaging.xcdatamodeld"),
    ("wireapp__wire-ios-data-model__store2-21-1.wiredatabase", "wireapp__wire-ios-data-model/zmessaging.xcdatamodeld"),
    ("wireapp__wire-ios-data-model__store2-28-0.wiredatabase", "wireapp__wire-ios-data-model/zmessaging.xcdatamodeld"),
    ("wireapp__wire-ios-data-model__store2-4.wiredatabase", "wireapp__wire-ios-data-model/zmessaging.xcdatamodeld"),
    ("wireapp__wire-ios-data-model__store2-48-0.wiredatabase", "wireapp__wire-ios-data-model/zmessaging.xcdatamodeld"),
    ("wireapp__wire-ios-data-model__store2-57-0.wiredatabase", "wireapp__wire-ios-data-model/zmessaging.xcdatamodeld"),
    ("wireapp__wire-ios-data-model__store2-63-0.wiredatabase", "wireapp__wire-ios-data-model/zmessaging.xcdatamodeld"),
    ("wireapp__wire-ios-data-model__store2-69-0.wiredatabase", "wireapp__wire-ios-data-model/zmessaging.xcdatamodeld"),
    ("wireapp__wire-ios-data-model__store2-75-0.wiredatabase", "wireapp__wire-ios-data-model/zmessaging.xcdatamodeld"),
    ("wireapp__wire-ios-data-model__store2-82-0.wiredatabase", "wireapp__wire-ios-data-model/zmessaging.xcdatamodeld"),
    ("wireapp__wire-ios-data-model__store2-89-0.wiredatabase", "wireapp__wire-ios-data-model/zmessaging.xcdatamodeld"),
    ("wireapp__wire-ios-data-model__store2-95-0.wiredatabase", "wireapp__wire-ios-data-model/zmessaging.xcdatamodeld"),
    ("wireapp__wire-ios-data-model__store2-99-0.wiredatabase", "wireapp__wire-ios-data-model/zmessaging.xcdatamodeld"),
    (
      "wibosco__CoreDataMigrationRevised-Example__CoreDataMigration_Example_1.sqlite",
      "wibosco__CoreDataMigrationRevised-Example/CoreDataMigration_Example.xcdatamodeld"
    ),
  ]

  @Test("A store reaches the last version of its model at once, and keeps its rows and relationships", arguments: cases)
  func migratesAtOnce(name: String, bundle: String) throws {
    let versions = try versions(after: name, in: bundle)
    // The full run goes to every later version.
    for version in FullTests.areWanted ? versions : versions.suffix(1) {
      try migrate(name, through: [version])
    }
  }

  @Test("A store goes through every later version of its model, in one transaction", arguments: cases)
  func migratesStepByStep(name: String, bundle: String) throws {
    var versions = try versions(after: name, in: bundle)
    if !FullTests.areWanted { versions = versions.suffix(3) }
    if versions.isEmpty { return }
    try migrate(name, through: versions)
  }

  private func versions(after name: String, in bundle: String) throws -> [ModelVersion] {
    let original = try Fixtures.copyOfStore(name)
    let model = try withExtendedLifetime(original) { try StoreModel.read(original.url) }
    return Self.later(than: model.metadata.hashes, in: try Self.bundle(bundle))
  }

  /// A bundle and the hashes of its versions, read once for all stores of the bundle.
  private static func bundle(_ path: String) throws -> Versions {
    if let known = known.withLock({ $0[path] }) { return known }
    let bundle = try ModelBundle.read(at: Fixtures.url("models").appendingPathComponent(path))
    let versions = bundle.versions.map { (version: $0, hashes: try? VersionHashes($0.model)) }
    known.withLock { $0[path] = versions }
    return versions
  }

  private typealias Versions = [(version: ModelVersion, hashes: VersionHashes?)]
  private static let known = Mutex<[String: Versions]>([:])

  private func migrate(_ name: String, through versions: [ModelVersion]) throws {
    let last = try #require(versions.last)
    let copy = try Fixtures.copyOfStore(name)
    let old = try PersistentStore.open(at: copy.url)
    let reference = try MigrationReference(old)
    let uuid = old.identifier
    old.close()
    try PersistentStore.migrate(at: copy.url, through: versions.map(\.model))
    let store = try PersistentStore.open(at: copy.url, model: last.model)
    // Entities that one version lacks and a later one has again are new.
    if versions.count == 1 {
      let problems = try reference.problems(in: store)
      #expect(problems.isEmpty, "\(last.name): \(problems.prefix(5))")
    }
    #expect(store.identifier == uuid)
    store.close()
    try Oracle.expectSound(copy.url, "\(last.name)")
    #expect(try !PersistentStore.migrate(at: copy.url, through: [last.model]))
  }
}

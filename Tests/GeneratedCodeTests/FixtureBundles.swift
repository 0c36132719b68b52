import CoreDataModel
import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import TestSupport
import Testing

/// A real bundle, and the real stores whose model one of its versions is.
struct FixtureBundle: Sendable, CustomTestStringConvertible {
  let url: URL

  var testDescription: String { "\(family)/\(url.lastPathComponent)" }
  /// Whose bundle it is.
  var family: String { url.deletingLastPathComponent().lastPathComponent }

  init(_ path: String) { url = Fixtures.url("models").appendingPathComponent(path) }
  private init(_ url: URL) { self.url = url }

  /// Every bundle that has a version in XML, by path.
  static let all: [FixtureBundle] = {
    let manager = FileManager.default
    let families = (try? manager.contentsOfDirectory(at: Fixtures.url("models"), includingPropertiesForKeys: nil)) ?? []
    return families.flatMap { (try? manager.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)) ?? [] }
      .filter { ["xcdatamodeld", "xcdatamodel"].contains($0.pathExtension) }
      .sorted { $0.path < $1.path }
      .filter { url in manager.enumerator(atPath: url.path)?.contains { "\($0)".hasSuffix("contents") } ?? false }
      .map { FixtureBundle($0) }
  }()

  struct Store {
    let name: String
    /// The position of the version in the bundle.
    let version: Int
  }

  /// The stores whose recorded hashes are those of a version.
  func stores(of versions: [ModelVersion]) throws -> [Store] {
    let hashes = try versions.map { try VersionHashes($0.model) }
    return Self.hashesOfStores.compactMap { name, recorded in
      hashes.lastIndex(of: recorded).map { Store(name: name, version: $0) }
    }.sorted { $0.name < $1.name }
  }

  private static let hashesOfStores: [String: VersionHashes] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: Fixtures.url("stores").path)) ?? []
    var hashes: [String: VersionHashes] = [:]
    for name in names where !name.hasSuffix("-wal") && !name.hasSuffix("-shm") {
      guard let copy = try? Fixtures.copyOfStore(name) else { continue }
      withExtendedLifetime(copy) {
        guard let connection = try? Connection(path: copy.url.path, mode: .readWrite) else { return }
        hashes[name] = try? StoreMetadata(connection).hashes
        connection.close()
      }
    }
    return hashes
  }()
}

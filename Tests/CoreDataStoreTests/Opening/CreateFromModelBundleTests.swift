import CoreDataModel
import CoreDataStore
import Foundation
import ManagedModel
import ModelArchive
import StoreInspection
import TestSupport
import Testing

/// Fresh stores of the versions of every real model bundle.
///
/// Of the current version of every second one; with `OPENSWIFTDATA_FULL_TESTS` set, of all versions of all of them (some minutes).
@Suite(.enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
struct CreateFromModelBundleTests {
  static let bundles: [String] = {
    guard Fixtures.areAvailable, let files = FileManager.default.enumerator(atPath: Fixtures.url("models").path) else {
      return []
    }
    let paths = files.compactMap { $0 as? String }
    // Bundles with a binary `elements` file instead of XML are not read.
    let folders = Set(paths.filter { $0.hasSuffix(".xcdatamodel/contents") }.map(bundle)).sorted()
    return folders
  }()

  private static let chosen = bundles.enumerated().filter { FullTests.areWanted || $0.offset.isMultiple(of: 2) }.map(
    \.element)

  /// `a/B.xcdatamodeld/B 2.xcdatamodel/contents` → `a/B.xcdatamodeld`.
  private static func bundle(_ contents: String) -> String {
    let folder = (contents as NSString).deletingLastPathComponent
    let parent = (folder as NSString).deletingLastPathComponent
    return parent.hasSuffix(".xcdatamodeld") ? parent : folder
  }

  @Test("there are models to make stores of")
  func areThere() { #expect(Self.bundles.count >= 70 && Self.compiled.count >= 15) }

  @Test("CD-1 … CD-7: a fresh store of each version passes the independent checkers", arguments: chosen)
  func fresh(_ path: String) throws {
    let bundle = try ModelBundle.read(at: Fixtures.url("models").appendingPathComponent(path)) { names, current in
      FullTests.areWanted || names.count == 1 ? Array(names.indices) : current.map { [$0] } ?? []
    }
    for version in bundle.versions {
      // The independent checker takes a model without entities for no model.
      let damage = version.model.entities.isEmpty ? "a model without entities" : nil
      let folder = try TemporaryStore(damage: damage)
      try PersistentStore.open(at: folder.url, model: version.model).close()
      guard !version.model.entities.isEmpty else {
        #expect(try StoreChecker.check(folder.url) == [], "\(version.name)")
        continue
      }
      try Oracle.expectSound(folder.url, fresh: true, "\(version.name)")
      #expect(try StoreChecker.check(folder.url) == [], "\(version.name)")
      #expect(try PersistentStore.open(at: folder.url, model: version.model).layout.entities.count > 0)
    }
  }

  /// Compiled models; `.omo` files beside them are Apple's optimized form, which is not read.
  static let compiled: [String] = {
    guard Fixtures.areAvailable, let files = FileManager.default.enumerator(atPath: Fixtures.url("compiled").path)
    else {
      return []
    }
    return files.compactMap { $0 as? String }.filter { $0.hasSuffix(".mom") }.sorted()
  }()

  @Test("CD-1 … CD-7: a fresh store of each compiled model passes the independent checkers", arguments: compiled)
  func freshFromCompiled(_ path: String) throws {
    let model = try ModelArchive.decode(Data(contentsOf: Fixtures.url("compiled").appendingPathComponent(path)))
    let folder = try TemporaryStore()
    try PersistentStore.open(at: folder.url, model: model).close()
    try Oracle.expectSound(folder.url, fresh: true)
    #expect(try StoreChecker.check(folder.url) == [])
    #expect(try StoreModel.read(folder.url).metadata.hashes == VersionHashes(model))
  }
}

import CoreDataModel
import Foundation
import ManagedModel
import TestSupport
import Testing

/// The steps between the versions of real bundles, as their authors took them.
@Suite("Migrations of real bundles", .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
struct RealMigrationTests {
  /// Steps that no mapping can be inferred for, with the changes to blame; all others are lightweight.
  ///
  /// WooCommerce's own notes on its migrations tell of mappings for 9 → 10 and 32 → 33; the others stand by Core Data's rules.
  static let customSteps: Set<String> = [
    "AltStore: AltStore → AltStore 2: StoreApp.iconURL StoreApp.screenshotURLs",
    "AltStore: AltStore 2 → AltStore 3: InstalledApp.installedDate",
    "AltStore: AltStore 17 → AltStore 17_1: ReleaseTrack.track",
    "Model: Model → Model 2: MainEntity.boolean MainEntity.string SecondaryEntity.name",
    "SubstrateDataModel: SubstrateDataModel11 → SubstrateDataModel12: CDChain.nodes",
    "SubstrateDataModel: SubstrateDataModel32 → SubstrateDataModel33: CDAsset.icon",
    "WooCommerce: Model 9 → Model 10: Order.statusKey",
    "WooCommerce: Model 31 → Model 32: ProductVariation.attributes",
    "WooCommerce: Model 32 → Model 33: Product.date",
  ]

  @Test("Nine steps of several hundred need more than an inferred mapping, and each names what is to blame")
  func steps() throws {
    var custom: Set<String> = []
    var count = 0
    for bundle in Self.bundles() {
      let hashes = try bundle.versions.map { try VersionHashes($0.model) }
      for (index, (old, new)) in zip(bundle.versions, bundle.versions.dropFirst()).enumerated() {
        count += 1
        let difference = ModelDifference(from: old.model, to: new.model)
        #expect(
          difference.needsMigration == (hashes[index] != hashes[index + 1]),
          "\(bundle.name): \(old.name) → \(new.name)")
        let obstacles = difference.changes.filter { $0.obstacle != nil }
        guard !obstacles.isEmpty else { continue }
        let places = obstacles.map { $0.entity + ($0.property.map { ".\($0)" } ?? "") }.joined(separator: " ")
        custom.insert("\(bundle.name): \(old.name) → \(new.name): \(places)")
      }
    }
    #expect(custom == Self.customSteps)
    #expect(count > 300)
  }

  private static func bundles() -> [ModelBundle] {
    let folder = Fixtures.url("models").path
    return FixtureModels.bundles.filter { $0.path.hasPrefix(folder) }.compactMap { try? $0.bundle.get() }
  }
}

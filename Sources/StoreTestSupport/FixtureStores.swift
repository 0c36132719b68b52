import Foundation
import TestSupport

/// The names of the real stores; `RealStore.all` says more of them.
package enum FixtureStores {
  package static let all: [String] = {
    guard Fixtures.areAvailable else { return [] }
    let names = try? FileManager.default.contentsOfDirectory(atPath: Fixtures.url("stores").path)
    return (names ?? []).filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
  }()

  /// Stores of before `Z_MODELCACHE`.
  package static let withoutModel = [
    "OgreSwamp__XCakeLabs_LocalizationLab__CoreDataBooks.CDBStore",
    "kodecocodes__cdt-materials__SurfJournalModel.sqlite",
    "magicalpanda__MagicalRecord__Recipes.sqlite", "yepher__CoreDataUtility__SingleEntitySingleAttribut.sqlite",
    "yepher__CoreDataUtility__fetchRequestorig.sqlite",
  ]

  package static let withModel = all.filter { !withoutModel.contains($0) }
}

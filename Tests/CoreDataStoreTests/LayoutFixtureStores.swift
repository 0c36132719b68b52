import Foundation
import TestSupport
import Testing

/// The real stores, by what can be said of their catalogues.
enum FixtureStores {
  static let all: [String] = {
    guard Fixtures.areAvailable else { return [] }
    let names = try? FileManager.default.contentsOfDirectory(atPath: Fixtures.url("stores").path)
    return (names ?? []).filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
  }()

  /// Stores of before `Z_MODELCACHE`.
  static let withoutModel = [
    "OgreSwamp__XCakeLabs_LocalizationLab__CoreDataBooks.CDBStore",
    "kodecocodes__cdt-materials__SurfJournalModel.sqlite",
    "magicalpanda__MagicalRecord__Recipes.sqlite", "yepher__CoreDataUtility__SingleEntitySingleAttribut.sqlite",
    "yepher__CoreDataUtility__fetchRequestorig.sqlite",
  ]

  static let withModel = all.filter { !withoutModel.contains($0) }

  struct Exception: Sendable, CustomTestStringConvertible {
    let name: String
    /// Definitions that the model predicts and the store has in another form.
    let missing: Int
    let reason: String
    var testDescription: String { name }
  }

  /// Never migrated, with history.
  static let exact: [String] = [
    "MatthewHunt84__MetaCocktailsSwiftData__hist3292fc7_default.store",
    "MatthewHunt84__MetaCocktailsSwiftData__histf1fca61_default.store",
    "TrinsicVentures__FreezeRay__App-1_0_0.sqlite",
    "TrinsicVentures__FreezeRay__App-2_0_0.sqlite",
    "alemar11__CoreDataPlus__SampleModel2_V1.sqlite",
    "log2timeline__plaso__RMAdminStore-Local.sqlite",
    "nobelnrj__myhome__MyHomeV1Seed.store",
    "sergd2005__ResourcesManager__histbc3d34e_default.store",
    "thierryH91200__WelcomeTo__SampleWelcomeTo.store",
  ].filter(all.contains)
  /// Never migrated, without history.
  static let exactWithoutHistory: [String] = [
    "alemar11__CoreDataPlus__SampleModel3_V1.sqlite",
    "alemar11__CoreDataPlus__SampleModel_V1.sqlite",
    "alemar11__CoreDataPlus__hist8ecba29_SampleModel2V2.sqlite",
    "alemar11__CoreDataPlus__hist8ecba29_SampleModel3_V1.sqlite",
    "bignerdranch__CoreDataStack__TestModel.sqlite",
    "duckduckgo__BrowserServicesKit__Bookmarks_V1.sqlite",
    "duckduckgo__BrowserServicesKit__Bookmarks_V2.sqlite",
    "duckduckgo__BrowserServicesKit__Bookmarks_V3.sqlite",
    "duckduckgo__BrowserServicesKit__Bookmarks_V5.sqlite",
    "embrace-io__embrace-apple-sdk__tmp_db.sqlite",
    "log2timeline__plaso__DataUsage.sqlite",
    "log2timeline__plaso__knowledgec-10.14.db",
    "log2timeline__plaso__netusage.sqlite",
    "openhouse__osxphotos__TestTimeWarp-10.15.7_CLSContactCache.sqlite",
    "thierryH91200__Pegase__MyDB.sqlite",
    "wibosco__CoreDataMigrationRevised-Example__CoreDataMigration_Example_1.sqlite",
  ].filter(all.contains)
  static let exceptions: [Exception] = [
    Exception(
      name: "alemar11__CoreDataPlus__histc3ac256_SampleModelV2.sqlite", missing: 0,
      reason: "migrated: another order of creation"),
    Exception(
      name: "openhouse__osxphotos__Test-10.15.7_Photos.sqlite", missing: 4,
      reason: "the application dropped and changed indexes, and the order of Z_FOK_ columns"),
    Exception(
      name: "openhouse__osxphotos__Test-14.0.0_Photos.sqlite", missing: 33,
      reason: "migrated in place, with indexes and triggers of its own"),
    Exception(
      name: "openhouse__osxphotos__Test-16.0.0-beta_Photos.sqlite", missing: 1,
      reason: "the order of Z_FOK_ columns; indexes and triggers of its own"),
    Exception(
      name: "openhouse__osxphotos__Test-Empty-Library-Ventura-13-5_Photos.sqlite", missing: 0,
      reason: "the tables behind its location index and triggers of its own"),
    Exception(
      name: "wibosco__CoreDataMigrationRevised-Example__CoreDataMigration_Example_2.sqlite", missing: 0,
      reason: "migrated: another order of creation"),
    Exception(
      name: "wireapp__wire-ios-data-model__store1-24.wiredatabase", missing: 0,
      reason: "indexes of before 2017 besides"),
    Exception(
      name: "wireapp__wire-ios-data-model__store2-21-1.wiredatabase", missing: 1,
      reason: "the order of Z_FOK_ columns or uniqueness in the table; indexes of before 2017 besides"),
    Exception(
      name: "wireapp__wire-ios-data-model__store2-28-0.wiredatabase", missing: 1,
      reason: "the order of Z_FOK_ columns or uniqueness in the table; indexes of before 2017 besides"),
    Exception(
      name: "wireapp__wire-ios-data-model__store2-4.wiredatabase", missing: 1,
      reason: "the order of Z_FOK_ columns or uniqueness in the table; indexes of before 2017 besides"),
    Exception(
      name: "wireapp__wire-ios-data-model__store2-48-0.wiredatabase", missing: 1,
      reason: "the order of Z_FOK_ columns or uniqueness in the table; indexes of before 2017 besides"),
    Exception(
      name: "wireapp__wire-ios-data-model__store2-57-0.wiredatabase", missing: 1,
      reason: "the order of Z_FOK_ columns or uniqueness in the table; indexes of before 2017 besides"),
    Exception(
      name: "wireapp__wire-ios-data-model__store2-63-0.wiredatabase", missing: 0,
      reason: "indexes of before 2017 besides"),
    Exception(
      name: "wireapp__wire-ios-data-model__store2-69-0.wiredatabase", missing: 0,
      reason: "indexes of before 2017 besides"),
    Exception(
      name: "wireapp__wire-ios-data-model__store2-75-0.wiredatabase", missing: 0,
      reason: "indexes of before 2017 besides"),
    Exception(
      name: "wireapp__wire-ios-data-model__store2-82-0.wiredatabase", missing: 7,
      reason: "migrated in place, and made before fetch indexes"),
    Exception(
      name: "wireapp__wire-ios-data-model__store2-89-0.wiredatabase", missing: 12,
      reason: "migrated in place, and made before fetch indexes"),
    Exception(
      name: "wireapp__wire-ios-data-model__store2-95-0.wiredatabase", missing: 13,
      reason: "migrated in place, and made before fetch indexes"),
    Exception(
      name: "wireapp__wire-ios-data-model__store2-99-0.wiredatabase", missing: 14,
      reason: "migrated in place, and made before fetch indexes"),
  ].filter { all.contains($0.name) }

  static func isHistory(_ definition: String) -> Bool {
    ["ACHANGE", "ATRANSACTION", "Z_TRANSACTION"].contains { name in
      ["TABLE ", "INDEX "].contains { definition.contains($0 + name) }
    }
  }
}

import Foundation
import ManagedModel
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import CoreDataStore

/// A store that Apple's frameworks wrote, and how it is opened.
///
/// Every one of them is read in full, and changed in every way that its model allows: see `RealStoresTests`.
struct RealStore: Sendable, CustomTestStringConvertible {
  let name: String
  /// `NSPersistenceFrameworkVersion`: 241 is of 2010, 1526 of 2026.
  let framework: Int
  let entities: Int
  let rows: Int
  let model: Model
  /// What is in it, besides attributes and plain relationships.
  let features: String

  enum Model: Sendable {
    /// The one in `Z_MODELCACHE`; no other is needed.
    case own
    /// The store carries none: without a model it is refused, and opens with the one given here.
    case given(GivenModel)
  }

  var testDescription: String { name }

  /// - Throws: what reading the given model throws; `nil` where the store has its own.
  func givenModel() throws -> ModelDescription? {
    guard case .given(let given) = model else { return nil }
    return try given.read()
  }

  /// What the independent checker finds in a copy of the store.
  func oracle(_ store: URL) throws -> RealStoresOracle {
    guard case .given(let given) = model else { return try RealStoresOracle(store) }
    let folder = try TemporaryStore()
    return try RealStoresOracle(store, model: given.file(in: folder.folder))
  }

  /// What the independent checker finds in the store as it came; asked for once.
  func untouched() throws -> RealStoresOracle {
    if let known = RealStore.known.withLock({ $0[name] }) { return known }
    let copy = try Fixtures.copyOfStore(name)
    let oracle = try oracle(copy.url)
    RealStore.known.withLock { $0[name] = oracle }
    return oracle
  }

  /// The stores that tests of writing use: all of them in the full run. Otherwise the versions of one app's store between
  /// its first and its last are left out; they differ in few properties, and tests of reading and of layout use them.
  /// So are two of the four Photos libraries, which are the largest models.
  static let written: [RealStore] = {
    if FullTests.areWanted { return all }
    let between = ["wireapp__wire-ios-data-model", "duckduckgo__BrowserServicesKit"].flatMap { app in
      all.map(\.name).filter { $0.hasPrefix(app) }.sorted { $0.localizedStandardCompare($1) == .orderedAscending }
        .dropFirst().dropLast()
    }
    let photos = ["14.0.0", "Empty-Library-Ventura-13-5"].map { "openhouse__osxphotos__Test-\($0)_Photos.sqlite" }
    return all.filter { !(between + photos).contains($0.name) }
  }()

  private static let known = Mutex<[String: RealStoresOracle]>([:])
}

extension RealStore {
  /// Every fixture store; `tableIsComplete` sees to that.
  static let all: [RealStore] = [
    store(
      "magicalpanda__MagicalRecord__Recipes.sqlite", 241, entities: 4, rows: 50,
      "pages of 2048 bytes, rollback journal, schema format 1"),
    store(
      "OgreSwamp__XCakeLabs_LocalizationLab__CoreDataBooks.CDBStore", 386, entities: 1, rows: 11,
      "pages of 2048 bytes, rollback journal, schema format 1"),
    store(
      "yepher__CoreDataUtility__SingleEntitySingleAttribut.sqlite", 419, entities: 1, rows: 40,
      "rollback journal"),
    store(
      "yepher__CoreDataUtility__fetchRequestorig.sqlite", 419, entities: 2, rows: 32,
      "rollback journal"),
    store(
      "kodecocodes__cdt-materials__SurfJournalModel.sqlite", 519, entities: 1, rows: 5000),
    store(
      "bignerdranch__CoreDataStack__TestModel.sqlite", 637, entities: 2, rows: 0,
      "1 many-to-many"),
    store(
      "wireapp__wire-ios-data-model__store1-24.wiredatabase", 640, entities: 10, rows: 180,
      "1 abstract, 4 subentities, 5 many-to-many, 9 ordered, 3 external"),
    store(
      "wireapp__wire-ios-data-model__store2-4.wiredatabase", 641, entities: 14, rows: 52,
      "1 abstract, 6 subentities, 10 many-to-many, 12 ordered, 2 external"),
    store(
      "wireapp__wire-ios-data-model__store2-21-1.wiredatabase", 752, entities: 15, rows: 99,
      "1 abstract, 6 subentities, 10 many-to-many, 10 ordered, 2 external"),
    store(
      "wireapp__wire-ios-data-model__store2-28-0.wiredatabase", 752, entities: 16, rows: 99,
      "1 abstract, 6 subentities, 10 many-to-many, 10 ordered, 2 external"),
    store(
      "wireapp__wire-ios-data-model__store2-48-0.wiredatabase", 851, entities: 18, rows: 99,
      "1 abstract, 6 subentities, 8 many-to-many, 6 ordered, 2 external"),
    store(
      "wireapp__wire-ios-data-model__store2-57-0.wiredatabase", 865, entities: 18, rows: 99,
      "1 abstract, 6 subentities, 8 many-to-many, 6 ordered, 2 external"),
    store(
      "alemar11__CoreDataPlus__histc3ac256_SampleModelV2.sqlite", 866, entities: 4, rows: 145,
      "2 subentities, 2 unique"),
    store(
      "log2timeline__plaso__knowledgec-10.14.db", 866, entities: 17, rows: 119,
      "1 abstract, 5 subentities, 1 many-to-many, 4 unique"),
    store(
      "wibosco__CoreDataMigrationRevised-Example__CoreDataMigration_Example_1.sqlite", 866, entities: 1, rows: 10,
      "rollback journal"),
    store(
      "wibosco__CoreDataMigrationRevised-Example__CoreDataMigration_Example_2.sqlite", 866, entities: 1, rows: 10),
    store(
      "wireapp__wire-ios-data-model__store2-63-0.wiredatabase", 866, entities: 18, rows: 99,
      "1 abstract, 6 subentities, 8 many-to-many, 4 ordered, 2 external"),
    store(
      "wireapp__wire-ios-data-model__store2-69-0.wiredatabase", 866, entities: 18, rows: 99,
      "1 abstract, 6 subentities, 8 many-to-many, 4 ordered"),
    store(
      "wireapp__wire-ios-data-model__store2-75-0.wiredatabase", 866, entities: 19, rows: 99,
      "1 abstract, 6 subentities, 9 many-to-many, 4 ordered"),
    store(
      "openhouse__osxphotos__Test-10.15.7_Photos.sqlite", 977, entities: 54, rows: 947,
      "2 abstract, 11 subentities, 14 many-to-many, 11 ordered, 2 reflexive, "
        + "3 unique, 1 external, 1 location, 59 triggers, history"
    ),
    store(
      "openhouse__osxphotos__TestTimeWarp-10.15.7_CLSContactCache.sqlite", 977, entities: 2, rows: 0),
    store(
      "wireapp__wire-ios-data-model__store2-82-0.wiredatabase", 977, entities: 24, rows: 99,
      "1 abstract, 6 subentities, 10 many-to-many, 4 ordered"),
    store(
      "wireapp__wire-ios-data-model__store2-89-0.wiredatabase", 977, entities: 25, rows: 99,
      "1 abstract, 6 subentities, 10 many-to-many, 4 ordered"),
    store(
      "alemar11__CoreDataPlus__SampleModel_V1.sqlite", 1044, entities: 4, rows: 145,
      "2 subentities, 2 unique"),
    store(
      "log2timeline__plaso__RMAdminStore-Local.sqlite", 1044, entities: 31, rows: 2911,
      "2 abstract, 6 subentities, 1 many-to-many, 2 unique, history"),
    store(
      "log2timeline__plaso__netusage.sqlite", 1044, entities: 18, rows: 703,
      "1 subentities, 1 ordered"),
    store(
      "wireapp__wire-ios-data-model__store2-95-0.wiredatabase", 1044, entities: 25, rows: 99,
      "1 abstract, 6 subentities, 10 many-to-many, 4 ordered"),
    store(
      "log2timeline__plaso__DataUsage.sqlite", 1145, entities: 9, rows: 1258),
    store(
      "thierryH91200__Pegase__MyDB.sqlite", 1145, entities: 13, rows: 212,
      "1 ordered, 1 reflexive, 1 external, rollback journal"),
    store(
      "wireapp__wire-ios-data-model__store2-99-0.wiredatabase", 1145, entities: 25, rows: 99,
      "1 abstract, 6 subentities, 10 many-to-many, 4 ordered"),
    store(
      "duckduckgo__BrowserServicesKit__Bookmarks_V1.sqlite", 1251, entities: 1, rows: 10,
      "2 ordered"),
    store(
      "duckduckgo__BrowserServicesKit__Bookmarks_V2.sqlite", 1251, entities: 1, rows: 10,
      "2 ordered"),
    store(
      "duckduckgo__BrowserServicesKit__Bookmarks_V3.sqlite", 1251, entities: 1, rows: 10,
      "2 ordered"),
    store(
      "duckduckgo__BrowserServicesKit__Bookmarks_V5.sqlite", 1251, entities: 1, rows: 10,
      "1 many-to-many, 2 ordered"),
    store(
      "openhouse__osxphotos__Test-Empty-Library-Ventura-13-5_Photos.sqlite", 1251, entities: 61, rows: 57,
      "2 abstract, 14 subentities, 17 many-to-many, 8 ordered, 1 without inverse, 3 reflexive, "
        + "6 unique, 1 external, 1 derived, 1 location, 21 triggers, history"
    ),
    store(
      "openhouse__osxphotos__Test-14.0.0_Photos.sqlite", 1321, entities: 61, rows: 836,
      "2 abstract, 14 subentities, 22 many-to-many, 8 ordered, 1 without inverse, 3 reflexive, "
        + "6 unique, 1 external, 1 derived, 1 location, 21 triggers, history"
    ),
    store(
      "alemar11__CoreDataPlus__SampleModel2_V1.sqlite", 1344, entities: 6, rows: 5468,
      "1 abstract, 2 subentities, 2 unique, 1 derived, 5 triggers, history"),
    store(
      "alemar11__CoreDataPlus__SampleModel3_V1.sqlite", 1344, entities: 1, rows: 12),
    store(
      "alemar11__CoreDataPlus__hist8ecba29_SampleModel2V2.sqlite", 1344, entities: 6, rows: 126,
      "1 abstract, 2 subentities, 2 unique, 1 derived, 5 triggers"),
    store(
      "alemar11__CoreDataPlus__hist8ecba29_SampleModel3_V1.sqlite", 1344, entities: 1, rows: 12),
    store(
      "embrace-io__embrace-apple-sdk__tmp_db.sqlite", 1344, entities: 1, rows: 4),
    store(
      "sergd2005__ResourcesManager__histbc3d34e_default.store", 1345, entities: 3, rows: 7,
      "1 unique, history"),
    store(
      "MatthewHunt84__MetaCocktailsSwiftData__hist3292fc7_default.store", 1403, entities: 5, rows: 2670,
      "1 many-to-many, 1 without inverse, 3 unique, 13 composite, history"),
    store(
      "MatthewHunt84__MetaCocktailsSwiftData__histf1fca61_default.store", 1405, entities: 4, rows: 2776,
      "1 many-to-many, 1 without inverse, 3 unique, 11 composite, history"),
    store(
      "openhouse__osxphotos__Test-16.0.0-beta_Photos.sqlite", 1509, entities: 74, rows: 310,
      "2 abstract, 15 subentities, 19 many-to-many, 12 ordered, 3 without inverse, 3 reflexive, "
        + "17 unique, 1 external, 2 derived, 1 location, 25 triggers, history"
    ),
    store(
      "TrinsicVentures__FreezeRay__App-1_0_0.sqlite", 1518, entities: 1, rows: 0,
      "empty history, rollback journal"),
    store(
      "TrinsicVentures__FreezeRay__App-2_0_0.sqlite", 1518, entities: 1, rows: 0,
      "empty history, rollback journal"),
    store(
      "thierryH91200__WelcomeTo__SampleWelcomeTo.store", 1518, entities: 1, rows: 0,
      "empty history"),
    store(
      "nobelnrj__myhome__MyHomeV1Seed.store", 1526, entities: 1, rows: 1,
      "history"),
  ]

  private static func store(
    _ name: String, _ framework: Int, entities: Int, rows: Int, _ features: String = ""
  ) -> RealStore {
    RealStore(
      name: name, framework: framework, entities: entities, rows: rows,
      model: FixtureStores.givenModels[name].map(Model.given) ?? .own,
      features: features)
  }
}

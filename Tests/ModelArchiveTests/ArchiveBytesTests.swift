import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ModelArchive

@Suite(
  "Our archives beside Core Data's, byte for byte",
  .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
struct ArchiveBytesTests {
  @Test("VH-15: a real model that is read and written again has the bytes that it had, but for what is listed")
  func bytes() throws {
    let archives = try FixtureArchives.all()
    var found: [String: ArchiveDivergence] = [:]
    for archive in archives {
      let form: ModelArchive.Form = archive.name.hasSuffix(".mom") ? .compiledModel : .modelCache
      let ours = try ModelArchive.encode(ModelArchive.decode(archive.data), as: form)
      found[archive.name] = try ArchiveDivergence(archive.data, ours)
      guard found[archive.name] == nil, let deflated = archive.deflated else { continue }
      #expect(try RawDeflate.deflate(ours) == deflated, "\(archive.name)")
    }
    let changed = Set(found.keys).union(divergences.keys).filter { found[$0] != divergences[$0] }
    let list = changed.sorted().map { "\"\($0)\": \(found[$0].map { ".\($0)" } ?? "the same bytes")" }
    #expect(changed.isEmpty, "differ in other ways than listed: \(list.joined(separator: ", "))")
    print("\(archives.count - found.count) of \(archives.count) archives are Core Data's, byte for byte")
  }

  @Test("A divergence is named after the first thing that differs")
  func kinds() throws {
    let attribute = AttributeDescription(name: "a long name", type: .string)
    let entity = EntityDescription(name: "Book", properties: [.attribute(attribute)])
    var model = ModelDescription(entities: [entity], versionIdentifiers: ["one", "two"])
    let before = try ModelArchive.encode(model)
    #expect(try ArchiveDivergence(before, before) == nil)
    #expect(try ArchiveDivergence(before, ModelArchive.encode(model, as: .compiledModel)) == .contents)
    model.entities[0].isAbstract = true
    #expect(try ArchiveDivergence(before, ModelArchive.encode(model)) == .contents)
  }
}

/// The first thing that differs, where the bytes do; the 15 archives that are not listed have Core Data's own.
private let divergences: [String: ArchiveDivergence] = [
  "/RestKit__RestKit/6efa73fa/RestKitCoreData.momd/RestKitCoreData.mom": .orderInDictionary,
  "/SwiftGen__SwiftGen/6cebca14/Model.momd/Model 2.mom": .contents,
  "/SwiftGen__SwiftGen/6cebca14/Model.momd/Model.mom": .olderArchiver,
  "/SwiftGen__SwiftGen/b6179515/Model.momd/Model 2.mom": .contents,
  "/SwiftGen__SwiftGen/b6179515/Model.momd/Model.mom": .classNames,
  "/SwiftGen__SwiftGen/e0d58459/Model.momd/Model 2.mom": .contents,
  "/SwiftGen__SwiftGen/e0d58459/Model.momd/Model.mom": .contents,
  "/bloominstituteoftechnology__ios-journal-coredata/fffaf867/Entries.momd/Entries.mom": .olderArchiver,
  "/brave__brave-ios/060d0a5f/Model.momd/Model.mom": .olderArchiver,
  "/vestimir__WordPress-iOS/41dcfed2/WordPress.app/WordPress.mom": .orderInDictionary,
  "/vestimir__WordPress-iOS/8172e044/WordPress.app/WordPress.mom": .orderInDictionary,
  "/wireapp__wire-ios-sync-engine/HEAD_124/WireSyncEngine124.momd/WireSyncEngine.mom": .orderInDictionary,
  "/yepher__CoreDataUtility/HEAD_TestFiles/TestFiles/SingleEntitySingleAttribut.mom": .orderInDictionary,
  "/yepher__CoreDataUtility/HEAD_TestFiles/TestFiles/fetchRequest.mom": .orderInDictionary,
  "MatthewHunt84__MetaCocktailsSwiftData__hist3292fc7_default.store": .contents,
  "MatthewHunt84__MetaCocktailsSwiftData__histf1fca61_default.store": .contents,
  "TrinsicVentures__FreezeRay__App-1_0_0.sqlite": .classNames,
  "TrinsicVentures__FreezeRay__App-2_0_0.sqlite": .classNames,
  "alemar11__CoreDataPlus__SampleModel2_V1.sqlite": .copiedTexts,
  "alemar11__CoreDataPlus__hist8ecba29_SampleModel2V2.sqlite": .contents,
  "alemar11__CoreDataPlus__histc3ac256_SampleModelV2.sqlite": .contents,
  "bignerdranch__CoreDataStack__TestModel.sqlite": .contents,
  "embrace-io__embrace-apple-sdk__tmp_db.sqlite": .classNames,
  "log2timeline__plaso__RMAdminStore-Local.sqlite": .orderInSet,
  "log2timeline__plaso__knowledgec-10.14.db": .contents,
  "log2timeline__plaso__netusage.sqlite": .contents,
  "openhouse__osxphotos__Test-10.15.7_Photos.sqlite": .copiedTexts,
  "openhouse__osxphotos__Test-14.0.0_Photos.sqlite": .contents,
  "openhouse__osxphotos__Test-16.0.0-beta_Photos.sqlite": .contents,
  "openhouse__osxphotos__Test-Empty-Library-Ventura-13-5_Photos.sqlite": .contents,
  "sergd2005__ResourcesManager__histbc3d34e_default.store": .orderInSet,
  "thierryH91200__Pegase__MyDB.sqlite": .contents,
  "wibosco__CoreDataMigrationRevised-Example__CoreDataMigration_Example_1.sqlite": .contents,
  "wibosco__CoreDataMigrationRevised-Example__CoreDataMigration_Example_2.sqlite": .contents,
  "wireapp__wire-ios-data-model__store1-24.wiredatabase": .contents,
  "wireapp__wire-ios-data-model__store2-21-1.wiredatabase": .copiedTexts,
  "wireapp__wire-ios-data-model__store2-28-0.wiredatabase": .copiedTexts,
  "wireapp__wire-ios-data-model__store2-4.wiredatabase": .contents,
  "wireapp__wire-ios-data-model__store2-48-0.wiredatabase": .copiedTexts,
  "wireapp__wire-ios-data-model__store2-57-0.wiredatabase": .copiedTexts,
  "wireapp__wire-ios-data-model__store2-63-0.wiredatabase": .copiedTexts,
  "wireapp__wire-ios-data-model__store2-69-0.wiredatabase": .copiedTexts,
  "wireapp__wire-ios-data-model__store2-75-0.wiredatabase": .copiedTexts,
  "wireapp__wire-ios-data-model__store2-82-0.wiredatabase": .contents,
  "wireapp__wire-ios-data-model__store2-89-0.wiredatabase": .contents,
  "wireapp__wire-ios-data-model__store2-95-0.wiredatabase": .contents,
  "wireapp__wire-ios-data-model__store2-99-0.wiredatabase": .contents,
]

import CoreDataModel
import CoreDataStore
import Foundation
import PostgreSQLTestSupport
import StoreTestSupport
import StoreTransfer
import TestSupport
import Testing

@Suite("Real stores in a database and back", TestServer.condition)
struct FixtureTransferTests {
  /// All of them in the full run. Otherwise the versions of one app's store between its first and its last are left out, and stores
  /// whose like is there.
  private static let names: [String] = {
    let all = FixtureStores.all
    guard !FullTests.areWanted else { return all }
    let versions = all.filter { $0.hasPrefix("wireapp__wire-ios-data-model") }
      .sorted { $0.localizedStandardCompare($1) == .orderedAscending }
    let between = Set(versions.dropFirst().dropLast())
    let alike = ["14.0.0_Photos", "Empty-Library-Ventura-13-5_Photos", "SampleModel2_V1"]
    return all.filter { name in !between.contains(name) && !alike.contains { name.contains($0) } }
  }()

  /// The errors of the stores that only a lenient copy takes. Apple's program wrote a date in the year 3,914,207 into both.
  private static let refusals = Dictionary(
    uniqueKeysWithValues: ["10.15.7", "14.0.0"].map {
      (
        "openhouse__osxphotos__Test-\($0)_Photos.sqlite",
        "object AdditionalAssetAttributes/p13: the value of “sceneAnalysisTimestamp” of entity “AdditionalAssetAttributes” "
          + "is a date before the year 4713 BC or after the year 294276, which the store cannot keep — give it another "
          + "date, or make a lenient copy, in which it is infinite"
      )
    })

  @Test("The full run copies 49 real stores", .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
  func number() {
    #expect(FixtureStores.all.count == 49, "the article on servers and a page of the format say how many there are")
  }

  @Test(
    "A real store comes back from PostgreSQL with the objects that it had",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"), arguments: names)
  func roundTrip(_ name: String) throws {
    let original = try Fixtures.copyOfStore(name)
    let store = try PersistentStore.open(
      at: original.url, options: StoreOptions(isReadOnly: true), model: FixtureStores.givenModels[name]?.read())
    defer { store.close() }
    let world = try TransferWorld()
    let refusal = Self.refusals[name]
    if let refusal {
      let error = #expect(throws: (any Error).self) { try world.send(store) }
      #expect(error.map { "\($0)".contains(refusal) } == true, "\(name): \(error.map { "\($0)" } ?? "")")
    }
    let report = try world.send(store, isLenient: refusal != nil)
    if ProcessInfo.processInfo.environment["OPENSWIFTDATA_PRINT_TABLE"] != nil {
      print("\(name): \(report.rows) rows", report.differences)
    }
    let back = try world.fetch()
    defer { back.store.close() }
    #expect(back.report.rows == report.rows)
    let difference = difference(try TransferWorld.dump(store), try TransferWorld.dump(back.store))
    #expect(difference == nil, "\(difference ?? "")")
    #expect(back.store.identifier == store.identifier)
    let url = try #require(back.store.url)
    try Oracle.expectSound(url)
  }

  /// The bundles with a version that can be read.
  private static let models: [URL] = {
    let files = FileManager.default.enumerator(at: Fixtures.url("models"), includingPropertiesForKeys: nil)
    return (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == "xcdatamodeld" }
      .filter { (try? ModelBundle.read(at: $0)) != nil }.sorted { $0.path < $1.path }
  }()

  @Test(
    "An empty store of every real model comes back from PostgreSQL with the model that it had",
    .enabled(if: FullTests.areWanted && Fixtures.areAvailable, "a longer run"))
  func models() throws {
    #expect(Self.models.count > 60)
    for url in Self.models {
      let versions = try ModelBundle.read(at: url).versions
      let model = try #require(versions.first(where: \.isCurrent) ?? versions.last).model
      let original = try ImportExportWorld(model)
      let world = try TransferWorld()
      #expect(throws: Never.self, "\(url.lastPathComponent)") {
        _ = try world.send(original.store)
        let back = try world.fetch()
        defer { back.store.close() }
        #expect(back.store.layout.model == original.store.layout.model, "\(url.lastPathComponent)")
      }
    }
  }
}

import CoreDataStore
import Foundation
import PostgreSQLTestSupport
import StoreTestSupport
import StoreTransfer
import TestSupport
import Testing

@Suite("Real stores in a database and back", TestServer.condition, .serialized)
struct FixtureTransferTests {
  /// All of them in the full run. Otherwise the versions of one app's store between its first and its last are left out.
  private static let names: [String] = {
    let all = FixtureStores.withModel
    guard !FullTests.areWanted else { return all }
    let versions = all.filter { $0.hasPrefix("wireapp__wire-ios-data-model") }
      .sorted { $0.localizedStandardCompare($1) == .orderedAscending }
    let between = Set(versions.dropFirst().dropLast())
    return all.filter { !between.contains($0) }
  }()

  @Test(
    "A real store comes back from PostgreSQL with the objects that it had",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"), arguments: names)
  func roundTrip(_ name: String) throws {
    let original = try Fixtures.copyOfStore(name)
    let store = try PersistentStore.open(at: original.url, options: StoreOptions(isReadOnly: true))
    defer { store.close() }
    let world = try TransferWorld()
    let report = try world.send(store, isLenient: true)
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
    let check = try Oracle.checkStore(url)
    #expect(check.status == 0, "\(check.output.suffix(2000))")
  }
}

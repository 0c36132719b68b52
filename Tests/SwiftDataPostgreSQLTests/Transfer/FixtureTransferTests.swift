import CoreDataStore
import Foundation
import PostgreSQLTestSupport
import StoreTestSupport
import StoreTransfer
import TestSupport
import Testing

@Suite("Real stores in a database and back", TestServer.condition, .serialized)
struct FixtureTransferTests {
  @Test(
    "A real store comes back from PostgreSQL with the objects that it had",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"), arguments: FixtureStores.withModel)
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

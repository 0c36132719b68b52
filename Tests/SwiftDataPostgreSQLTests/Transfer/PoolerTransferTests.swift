import CoreDataStore
import PostgreSQLTestSupport
import StoreExchange
import StoreTestSupport
import StoreTransfer
import TestSupport
import Testing

@Suite("Copies through a pooler of transactions", TestServer.condition, TestPooler.condition)
struct PoolerTransferTests {
  @Test("A store goes there and comes back, whatever others have left in the sessions")
  func roundTrip() throws {
    let pooler = try #require(TestPooler.shared)
    try pooler.leavePreparedStatements()
    let original = try ImportExportWorld()
    try original.take(
      (1...700).map { #"{"$entity":"Genre","$id":"Genre/p\#($0)","name":"\#($0)"}"# }.joined(separator: "\n")
    ) {
      $0.keepsKeys = true
    }
    let world = try TransferWorld(address: pooler.address)
    #expect(try world.send(original.store).rows == 700)
    let back = try world.fetch()
    defer { back.store.close() }
    #expect(try ImportExportWorld.dump(back.store) == original.dump())
  }
}

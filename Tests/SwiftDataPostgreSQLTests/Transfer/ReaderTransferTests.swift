import CoreDataStore
import Foundation
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreExchange
import StoreTestSupport
import StoreTransfer
import TestSupport
import Testing

@Suite("Copies from a server by a user with few rights", TestServer.condition)
struct ReaderTransferTests {
  @Test("A user who may only read the tables fetches the store, whether or not the sequences may be read, too")
  func reader() throws {
    let original = try ImportExportWorld()
    try original.take(#"{"$entity":"Genre","$id":"Genre/p7","name":"x"}"#) { $0.keepsKeys = true }
    let world = try TransferWorld()
    _ = try world.send(original.store)
    let (schema, role) = (Identifier(world.options.schema), Identifier("reader_\(world.options.schema)"))
    let connection = try #require(TestServer.shared).connect()
    try connection.execute(
      """
      CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(schema) TO \(role);
      GRANT SELECT ON ALL TABLES IN SCHEMA \(schema) TO \(role)
      """)
    let address = world.address.replacing("app@", with: "\(role.name)@")
    for name in ["tables.store", "sequences.store"] {
      let place = world.folder.folder.appendingPathComponent(name)
      _ = try StoreTransfer.copy(fromServer: address, options: world.options, to: place)
      let copy = try PersistentStore.open(at: place, options: StoreOptions(isReadOnly: true))
      defer { copy.close() }
      #expect(try ImportExportWorld.dump(copy) == original.dump())
      try connection.execute("GRANT SELECT ON ALL SEQUENCES IN SCHEMA \(schema) TO \(role)")
    }
  }
}

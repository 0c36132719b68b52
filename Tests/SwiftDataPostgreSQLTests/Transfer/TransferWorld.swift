import CoreDataStore
import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreExchange
import StoreRequests
import StoreTestSupport
import StoreTransfer
import TestSupport
import Testing

/// A store that goes to the tests' server and comes back, each way in a place of its own.
struct TransferWorld {
  let folder: TemporaryStore
  var options = ServerOptions()
  let address: String

  /// - Parameter address: the server's by default.
  init(address: String? = nil) throws {
    folder = try TemporaryStore()
    options.schema = folder.databaseSchema
    // The server's list of connections shows the name.
    self.address = try (address ?? #require(TestServer.shared).address) + "&application_name=\(options.schema)"
  }

  func send(_ store: PersistentStore, isLenient: Bool = false) throws -> TransferReport {
    try StoreTransfer.copy(store, toServer: address, options: options, isLenient: isLenient)
  }

  /// Fetches the store from the server; opens it for reading.
  func fetch(_ name: String = "back.store") throws -> (store: PersistentStore, report: TransferReport) {
    let place = folder.folder.appendingPathComponent(name)
    let report = try StoreTransfer.copy(fromServer: address, options: options, to: place).report
    return (try PersistentStore.open(at: place, options: StoreOptions(isReadOnly: true)), report)
  }

  func schemaExists() throws -> Bool {
    try #require(TestServer.shared).connect()
      .run("SELECT 1 FROM pg_namespace WHERE nspname = $1", [.text(options.schema)]).rowCount > 0
  }

  /// What the store prints, with dates in whole microseconds.
  static func dump(_ store: PersistentStore) throws -> String {
    try ImportExportWorld.dump(store).replacing(/"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7,}Z)"/) { match in
      let rounded = ExportDate.seconds(String(match.1)).flatMap { BinaryForm.microseconds($0) }
        .flatMap { ExportDate.text(BinaryForm.seconds($0)) }
      return "\"\(rounded ?? String(match.1))\""
      // A moment in the year 3,914,207, which a lenient copy makes infinite.
    }.replacing(":123456789012345.0", with: #":"Infinity""#)
  }
}

/// The first lines in which two texts differ.
func difference(_ left: String, _ right: String) -> String? {
  guard left != right else { return nil }
  let (old, new) = (left.split(separator: "\n"), right.split(separator: "\n"))
  for index in 0..<max(old.count, new.count) {
    let (a, b) = (index < old.count ? old[index] : "", index < new.count ? new[index] : "")
    if a != b { return "line \(index + 1) of \(old.count) and \(new.count):\n\(a.prefix(2000))\n\(b.prefix(2000))" }
  }
  return "the ends of lines differ"
}

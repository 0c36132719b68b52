import Foundation
import SQLite
import StoreInspection
import TestSupport
import Testing

@testable import SwiftData

extension SearchWorld {
  /// Gives the texts of a title another body, as another program does, which trusts the schema.
  func setBody(_ body: String, ofTitle title: String) throws {
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    defer { connection.close() }
    try connection.trustSchema()
    try connection.execute("UPDATE ZTEXT SET ZBODY = '\(body)' WHERE ZTITLE = '\(title)'")
  }

  /// Runs both checkers on the store: neither finds an error.
  func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try Oracle.expectSound(store.url, sourceLocation: sourceLocation)
    let own = try StoreChecker.report(store.url)
    #expect(own.findings.filter { $0.severity != .note }.isEmpty, "\(own.findings)", sourceLocation: sourceLocation)
  }

  /// Fails if the index has other words than the rows.
  func checkIndexes() throws {
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    defer { connection.close() }
    for entity in ["Text", "Letter"] {
      let name = "OSD_\(entity)_SEARCH"
      let exists = try connection.integer("SELECT 1 FROM sqlite_master WHERE name = '\(name)'") != nil
      if exists { try connection.execute("INSERT INTO \(name) (\(name), rank) VALUES ('integrity-check', 1)") }
    }
  }
}

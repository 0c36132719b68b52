import Foundation
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import Testing

/// Where a chapter's suite keeps its objects here: in a PostgreSQL store, also where a chapter says file or memory.
///
/// The chapters stand in `ConformanceTests`, and are part of this target through symbolic links.
enum ChapterPlace: String, CaseIterable, Sendable {
  case server

  static let file = server
  static let memory = server
  static let ownStores = [server]

  /// Skips the test where there is no server.
  ///
  /// - Parameter directory: its name becomes the name of the database schema.
  func configuration(_ schema: Schema, in directory: URL) throws -> any DataStoreConfiguration {
    guard let server = TestServer.shared else {
      try Test.cancel("needs a PostgreSQL server's programs: apt-get install postgresql")
    }
    return PostgreSQLConfiguration(
      server.address, schema: schema, databaseSchema: "s_" + directory.lastPathComponent.suffix(12).lowercased(),
      connectionLimit: 4)
  }

  /// The independent checker knows stores in files only.
  func check(_ directory: URL) {}
}

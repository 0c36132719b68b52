import Foundation
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import Testing

/// Where a chapter's suite keeps its objects here: in a PostgreSQL store, also where a chapter says file or memory.
///
/// The suites stand in `ConformanceTests`, and are part of this target through symbolic links. These are not, since they are about other
/// stores or about pages: ContainerOptionsTests (memory, groups, CloudKit), the suites of `CustomStores` and WritingStoresTests (a
/// program's own store), MigrationFileTests (backups, copies of the file), CoreDataFeaturesTests (the layout), ArticleExamplesTests and
/// ReadmeTests (pages).
enum ChapterPlace: String, CaseIterable, Sendable {
  case server

  static let file = server
  static let memory = server
  static let ownStores = [server]
  static let hasFiles = false
  static let condition = TestServer.condition
  static let nowhere = ModelConfiguration("postgresql://app@/postgres?host=/nonexistent")

  /// The name that messages give a store.
  static func name(of url: URL) throws -> String { "database postgres on \(try TestServer.required().folder)" }

  /// Skips the test where there is no server.
  ///
  /// - Parameter directory: its name becomes the name of the database schema.
  func configuration(_ schema: Schema, in directory: URL) throws -> any DataStoreConfiguration {
    let server = try TestServer.required()
    return PostgreSQLConfiguration(
      server.address, schema: schema, databaseSchema: "s_" + directory.lastPathComponent.suffix(12).lowercased(),
      connectionLimit: 4)
  }

  /// The independent checker knows stores in files only.
  func check(_ directory: URL) {}
}

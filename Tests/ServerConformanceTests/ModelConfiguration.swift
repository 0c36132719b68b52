import Foundation
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL

/// What the shared suites call a configuration is a store of the tests' server here: one database schema for each folder.
typealias ModelConfiguration = PostgreSQLConfiguration

extension PostgreSQLConfiguration {
  /// - Parameter url: a file in a folder of the test's own, whose name ends with a UUID.
  init(_ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true) {
    // Suites that use it are skipped where there is no server.
    self.init(
      TestServer.shared?.address ?? "", name: name, schema: schema, allowsSave: allowsSave,
      databaseSchema: "s_" + url.deletingLastPathComponent().lastPathComponent.suffix(12).lowercased(),
      connectionLimit: 4)
  }

  /// A store with options of its migration.
  init(url: URL, migration: MigrationOptions) {
    self.init(url: url)
    self.migration = migration
  }

  /// A store that no other test knows.
  init(_ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool, allowsSave: Bool = true) {
    self.init(name, schema: schema, url: URL(fileURLWithPath: "/\(UUID().uuidString)/store"), allowsSave: allowsSave)
  }
}

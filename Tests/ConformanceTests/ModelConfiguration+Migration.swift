import Foundation
import SwiftData

extension ModelConfiguration {
  /// A store with options of its migration.
  init(url: URL, migration: MigrationOptions) {
    self.init(url: url)
    self.migration = migration
  }
}

// Begun by generate-models from Names.xcdatamodeld and never written again: this file is yours to edit.

import SwiftData

extension NamesMigrationPlan {
  /// From ``NamesSchemaV2`` to ``NamesSchemaV3``, by hand. Changes that cannot be inferred:
  ///
  /// - page
  ///   - has “Page” as superentity instead of none: it comes into one hierarchy with “Page”, and was in another one
  ///     before
  static let migrateV2toV3 = MigrationStage.custom(
    fromVersion: NamesSchemaV2.self,
    toVersion: NamesSchemaV3.self,
    willMigrate: { context in
      // The store holds objects of NamesSchemaV2. Keep the data that would be lost, and save.
    },
    didMigrate: { context in
      // The store holds objects of NamesSchemaV3. Set the values that could not be converted, and save.
    }
  )
}

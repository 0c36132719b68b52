// Begun by generate-models from Library.xcdatamodeld and never written again: this file is yours to edit.

import SwiftData

extension LibraryMigrationPlan {
  /// From ``LibrarySchemaV2`` to ``LibrarySchemaV3``, by hand. Changes that cannot be inferred:
  ///
  /// - entity “Loan”, property “fine” has type decimal instead of double: values are not converted from one type to
  ///   another
  static let migrateV2toV3 = MigrationStage.custom(
    fromVersion: LibrarySchemaV2.self,
    toVersion: LibrarySchemaV3.self,
    willMigrate: nil,
    didMigrate: nil
  )
}

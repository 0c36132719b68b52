// Begun by generate-models from Library.xcdatamodeld and never written again: this file is yours to edit.

import SwiftData

extension LibraryMigrationPlan {
  /// From ``LibrarySchemaV2`` to ``LibrarySchemaV3``, by hand. Changes that cannot be inferred:
  ///
  /// - Loan
  ///   - fine: has type decimal instead of string: values are not converted from one type to another
  static let migrateV2toV3 = MigrationStage.custom(
    fromVersion: LibrarySchemaV2.self,
    toVersion: LibrarySchemaV3.self,
    willMigrate: { context in
      // The store holds objects of LibrarySchemaV2. Keep the data that would be lost, and save.
    },
    didMigrate: { context in
      // The store holds objects of LibrarySchemaV3. Set the values that could not be converted, and save.
    }
  )
}

/// A step from one version of the models to the next. Apple: `MigrationStage`.
public enum MigrationStage: @unchecked Sendable {
  /// A step whose changes SwiftData infers.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// A step that runs code before, with the old models, and after, with the new models.
  case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: ((ModelContext) throws -> Void)?, didMigrate: ((ModelContext) throws -> Void)?)
  /// A step with two contexts: one reads the objects of the old version, the other has the objects of the new version after the
  /// inferred changes. Not in Apple's framework.
  ///
  ///     .sideBySide(fromVersion: TripsV1.self, toVersion: TripsV2.self) { old, new in
  ///       for trip in try old.fetch(FetchDescriptor<TripsV1.Trip>()) { new.insert(TripsV2.Visit(of: trip.place)) }
  ///     }
  ///
  /// An object keeps its key, unless its class gets a superclass together with another class whose rows have equal keys. Changes that
  /// the block leaves unsaved in the new context are saved after it.
  case sideBySide(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    migrate: (_ old: ModelContext, _ new: ModelContext) throws -> Void)
  /// A step with statements in SQL before and after the inferred changes, for stores with many rows. Not in Apple's framework.
  ///
  ///     .sql(fromVersion: TripsV1.self, toVersion: TripsV2.self, didMigrate: ["UPDATE ZTRIP SET ZSLUG = lower(ZNAME)"])
  ///
  /// The names are those of Core Data's tables: `ZTRIP` for `Trip`, `ZSLUG` for `slug`. The statements run in the migration's
  /// transaction. They write neither history nor version numbers of rows.
  case sql(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type, willMigrate: [String] = [],
    didMigrate: [String] = [])
}

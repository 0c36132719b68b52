/// One version of a program's models. Apple: `VersionedSchema`.
public protocol VersionedSchema {
  /// The model classes of this version.
  static var models: [any PersistentModel.Type] { get }
  /// The version's number.
  static var versionIdentifier: Schema.Version { get }
  /// Fetches that the model of this version states; none by default. Not in Apple's framework.
  static var fetchRequests: [Schema.FetchRequest] { get }
  /// Named parts of the model of this version; none by default. Not in Apple's framework.
  static var configurations: [Schema.Configuration] { get }
}

extension VersionedSchema {
  /// No fetches.
  public static var fetchRequests: [Schema.FetchRequest] { [] }
  /// No parts.
  public static var configurations: [Schema.Configuration] { [] }
}

/// The versions of a program's models in order, and how to come from each to the next. Apple: `SchemaMigrationPlan`.
public protocol SchemaMigrationPlan {
  /// The versions, oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The steps between them.
  static var stages: [MigrationStage] { get }
}

/// A step from one version of the models to the next. Apple: `MigrationStage`.
public enum MigrationStage: @unchecked Sendable {
  /// What changed can be inferred.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// Code runs before, with the old models, and after, with the new ones.
  case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: ((ModelContext) throws -> Void)?, didMigrate: ((ModelContext) throws -> Void)?)
}

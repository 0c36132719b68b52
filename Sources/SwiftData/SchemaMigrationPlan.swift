/// The versions of a program's models in order, and the steps between them. Apple: `SchemaMigrationPlan`.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// The versions, oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The steps from each version to the next.
  static var stages: [MigrationStage] { get }
}

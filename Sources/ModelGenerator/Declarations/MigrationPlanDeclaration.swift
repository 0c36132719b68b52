/// `enum LibraryMigrationPlan: SchemaMigrationPlan`.
struct MigrationPlanDeclaration: Sendable, Hashable {
  var comments: [String]
  var name: String
  /// Names of the schemas, oldest first.
  var schemas: [String]
  var stages: [MigrationStageDeclaration]
}

/// One step of a migration plan.
struct MigrationStageDeclaration: Sendable, Hashable {
  /// The static property that holds the stage.
  var name: String
  var from: String
  var to: String
  /// What cannot be inferred, entity by entity; a stage without any is lightweight.
  var obstacles: [EntityObstacles]

  var isLightweight: Bool { obstacles.isEmpty }

  /// The changes of one entity that cannot be inferred.
  struct EntityObstacles: Sendable, Hashable {
    var entity: String
    /// `fine: has type decimal instead of string — why that cannot be inferred`.
    var changes: [String]
  }
}

/// `typealias Book = LibrarySchemaV3.Book`.
struct TypeAliasDeclaration: Sendable, Hashable {
  var name: String
  var target: String
}

/// `enum LibraryMigrationPlan: SchemaMigrationPlan`.
struct MigrationPlanDeclaration: Sendable, Hashable {
  var comments: [String]
  var name: String
  /// Names of the schemas, oldest first.
  var schemas: [String]
  var stages: [MigrationStageDeclaration]
}

/// A stage of a migration plan.
struct MigrationStageDeclaration: Sendable, Hashable {
  /// The static property that holds the stage.
  var name: String
  var from: String
  var to: String
  /// The changes that cannot be inferred, entity by entity. A stage without obstacles is lightweight.
  var obstacles: [EntityObstacles]
  /// The code that carries out a mapping model. A stage with a mapping model is not lightweight.
  var mapped: MappedStageDeclaration?

  var isLightweight: Bool { obstacles.isEmpty && mapped == nil }

  /// The changes of one entity that cannot be inferred.
  struct EntityObstacles: Sendable, Hashable {
    var entity: String
    /// For example `fine: has type decimal instead of double: values are not converted from one type to another`.
    var changes: [String]
  }
}

/// `typealias Book = LibrarySchemaV3.Book`.
struct TypeAliasDeclaration: Sendable, Hashable {
  var name: String
  var target: String
}

extension ModelContainer {
  /// Opens stores of any kind for the given classes and for classes that their relationships reach.
  ///
  /// - Parameters:
  ///   - types: the classes.
  ///   - configurations: a ``ModelConfiguration``, or the configuration of a ``DataStore``, for each store.
  /// - Throws: ``SwiftDataError``, usually `loadIssueModelContainer` with the store's error.
  ///
  /// Apple: `ModelContainer.init(for:configurations:)`.
  public convenience init(
    for types: any PersistentModel.Type..., configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: Schema(types), migrationPlan: nil, configurations: configurations)
  }

  /// Opens stores of any kind for a schema.
  ///
  /// - Throws: ``SwiftDataError``, usually `loadIssueModelContainer` with the store's error.
  ///
  /// Apple: `ModelContainer.init(for:configurations:)`.
  public convenience init(for schema: Schema, configurations: [any DataStoreConfiguration]) throws {
    try self.init(for: schema, migrationPlan: nil, configurations: configurations)
  }

  /// Opens stores of any kind; each custom store gets the plan, and carries it out.
  ///
  /// - Throws: ``SwiftDataError``, usually `loadIssueModelContainer` with the store's error.
  ///
  /// Not in Apple's framework.
  public convenience init(
    for types: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)?,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens stores of any kind for a schema; each custom store gets the plan, and carries it out.
  ///
  /// ```swift
  /// let configuration = PostgreSQLConfiguration("postgresql://app@db.example/library", schema: schema)
  /// let container = try ModelContainer(
  ///   for: schema, migrationPlan: LibraryMigrationPlan.self, configurations: configuration)
  /// ```
  ///
  /// - Throws: ``SwiftDataError``, usually `loadIssueModelContainer` with the store's error.
  ///
  /// Not in Apple's framework, whose variadic initializer of a schema takes ``ModelConfiguration`` only.
  public convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: schema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens stores of any kind; each custom store gets the plan, and carries it out.
  ///
  /// - Throws: ``SwiftDataError``, usually `loadIssueModelContainer` with the store's error.
  ///
  /// Not in Apple's framework.
  public convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?,
    configurations: [any DataStoreConfiguration]
  ) throws {
    try self.init(
      for: schema, migrationPlan: migrationPlan,
      configurations: configurations.map { ModelConfiguration.standing(for: $0, in: schema, migrationPlan) })
  }
}

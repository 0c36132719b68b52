internal import StoreRequests

extension MigrationStep {
  /// A stage of a plan, for the store of a configuration.
  ///
  /// - Parameter reads: the failed reads of all stages of the migration.
  init(_ step: SchemaVersions.Step, of configuration: ModelConfiguration, _ reads: StageReads) {
    self.init(step.to.model)
    name = "\(step.from.type) to \(step.to.type)"
    isInferred = false
    source = step.from.model
    switch step.stage {
    case .lightweight: break
    case .sql(_, _, let before, let after): (statementsBefore, statementsAfter) = (before, after)
    case .custom(_, _, let willMigrate, let didMigrate):
      codeBefore = willMigrate.map { block in
        { engine in
          try step.reporting("willMigrate", configuration) { try step.from.edit(engine, configuration, reads, block) }
        }
      }
      codeAfter = didMigrate.map { block in
        { engine in
          try step.reporting("didMigrate", configuration) { try step.to.edit(engine, configuration, reads, block) }
        }
      }
    case .sideBySide(_, _, let migrate):
      codeBeside = { old, new in
        try step.reporting("the code", configuration) {
          let code = StageCode(reads)
          defer { code.end() }
          let oldContext = try step.from.context(old, configuration, code)
          try step.to.edit(new, configuration, reads) { try migrate(oldContext, $0) }
        }
      }
    }
  }
}

extension SchemaVersions.Step {
  /// Runs code of the stage. Its errors get the names of the store, the stage and the closure, and those of SwiftData keep their kind.
  fileprivate func reporting(_ code: String, _ configuration: ModelConfiguration, _ body: () throws -> Void) throws {
    do { try body() } catch {
      let known = error as? SwiftDataError
      throw SwiftDataError(
        known?.kind ?? .loadIssueModelContainer,
        "The store at \(configuration.place) was not migrated: \(code) of the stage from \(from.type) to \(to.type) threw \(known?.errorDescription ?? "\(error)")",
        underlyingError: known == nil ? error : known?.underlyingError)
    }
  }
}

extension SchemaVersions.Version {
  /// Runs a block of a stage with the objects of this version, and saves what it leaves unsaved.
  ///
  /// - Throws: ``SwiftDataError`` if an object of this or an earlier stage could not be read; what the block or the save throws.
  fileprivate func edit(
    _ engine: any StoreEngine, _ configuration: ModelConfiguration, _ reads: StageReads,
    _ block: (ModelContext) throws -> Void
  ) throws {
    let code = StageCode(reads)
    defer { code.end() }
    let context = try context(engine, configuration, code)
    do { try block(context) } catch {
      // What a block throws may follow from the default of a failed read.
      try reads.check()
      throw error
    }
    try reads.check()
    if context.hasChanges { try context.save() }
  }

  fileprivate func context(
    _ engine: any StoreEngine, _ configuration: ModelConfiguration, _ code: StageCode
  ) throws -> ModelContext {
    var own = configuration
    // The store has the version's entities, and history is deleted when the container opens.
    (own.schema, own.historyRetention) = (nil, nil)
    let opening = ContainerOpening(
      schema: schema, migrationPlan: nil, configurations: [own], openStore: { _, _ in engine },
      stage: code)
    return ModelContext(ModelContainer(core: try opening.open(), migrationPlan: nil), isolation: nil)
  }
}

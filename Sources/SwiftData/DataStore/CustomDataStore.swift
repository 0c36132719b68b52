internal import ManagedModel
internal import StoreRequests

/// A custom store's configuration within a ``ModelConfiguration``, so that a container treats all its stores alike.
struct CustomDataStore: @unchecked Sendable {
  let configuration: any DataStoreConfiguration
  /// The configuration, if the framework asks its engine directly.
  var engine: (any EngineConfiguration)?
  let open: (ModelDescription) throws -> any StoreEngine
  let validate: () throws -> Void
  /// The place of the store for messages; `nil` for the store of a client, which has a name only.
  var place: String?

  /// The store of an engine that the framework asks directly.
  init(engine configuration: any EngineConfiguration) {
    self.configuration = configuration
    engine = configuration
    validate = { try configuration.validate() }
    open = { try configuration.openEngine($0) }
    place = configuration.place
  }

  /// - Parameter schema: the container's schema, which the configuration takes if it has none.
  init<Configuration: DataStoreConfiguration>(
    _ configuration: Configuration, in schema: Schema, _ migrationPlan: (any SchemaMigrationPlan.Type)?
  ) {
    self.configuration = configuration
    var completed = configuration
    if completed.schema == nil { completed.schema = schema }
    let complete = completed
    let classes = schema.classes
    func loading<Result>(_ problem: String, _ body: () throws -> Result) throws -> Result {
      do { return try body() } catch let error as SwiftDataError { throw error } catch {
        throw SwiftDataError(
          .loadIssueModelContainer, "The store \(configuration.name) \(problem): \(error)", underlyingError: error)
      }
    }
    validate = { try loading("has a configuration that is not valid") { try configuration.validate() } }
    open = { model in
      let store = try loading("cannot be opened") {
        try SnapshotClasses.$current.withValue(classes) {
          try Configuration.Store(complete, migrationPlan: migrationPlan)
        }
      }
      return SnapshotEngine<Configuration.Store>(store, model, classes)
    }
  }
}

extension ModelConfiguration {
  /// The configuration itself, or one that stands for a custom store.
  static func standing(
    for configuration: any DataStoreConfiguration, in schema: Schema, _ migrationPlan: (any SchemaMigrationPlan.Type)?
  ) -> ModelConfiguration {
    if let own = configuration as? ModelConfiguration { return own }
    if let configuration = configuration as? any EngineConfiguration {
      var standIn = ModelConfiguration(
        configuration.name, schema: configuration.schema, isStoredInMemoryOnly: true,
        allowsSave: configuration.allowsSave)
      standIn.historyRetention = configuration.historyRetention
      standIn.migration = configuration.migration
      standIn.dataStore = CustomDataStore(engine: configuration)
      return standIn
    }
    var standIn = ModelConfiguration(configuration.name, schema: configuration.schema, isStoredInMemoryOnly: true)
    standIn.dataStore = CustomDataStore(configuration, in: schema, migrationPlan)
    return standIn
  }
}

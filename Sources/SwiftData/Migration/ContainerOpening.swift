internal import ErrorReporting
internal import Foundation
internal import ManagedModel
internal import StoreRequests

/// Checks the configurations, divides the entities among them, and opens their stores.
struct ContainerOpening {
  let schema: Schema
  let migrationPlan: (any SchemaMigrationPlan.Type)?
  let configurations: [ModelConfiguration]
  /// Opens a store that needs no migration; `nil` for the configuration's own, which may be migrated.
  var openStore: ((ModelConfiguration, ModelDescription) throws -> any StoreEngine)?
  /// The code of a migration's stage that the container is for.
  var stage: StageCode?

  /// - Throws: ``SwiftDataError``
  func open() throws -> ContainerCore {
    try checkConfigurations()
    try checkPlan()
    let model = try schema.lowered()
    let division = try EntityDivision(model, among: configurations)
    var stores: [OpenStore] = []
    var firstTable = 0
    for (index, configuration) in configurations.enumerated() {
      let engine = try openEngine(configuration, named(division.part(in: index), by: configuration)) { versions in
        // A version of the plan has the entities of all stores.
        division.parts(of: versions, in: index).map { named($0, by: configuration) }
      }
      try checkIdentity(of: engine, configuration, among: stores)
      let classes = schema.classes.filter { division.names(in: index).contains($0.key) }.mapValues(\.type)
      let opened = try OpenStore(
        index: index, configuration: configuration, engine: engine, classes: classes, firstTable: firstTable)
      opened.historyRetention.applyIfDue(to: opened)
      firstTable += opened.tableCount
      stores.append(opened)
    }
    // Programs decode snapshots of their present classes, not of an earlier version's.
    if stage == nil { SnapshotClasses.register(schema.classes) }
    return ContainerCore(schema: schema, stores: stores, stage: stage)
  }

  private func checkConfigurations() throws {
    var places: Set<String> = []
    var names: Set<String> = []
    for configuration in configurations {
      try configuration.validate()
      let isNewPlace =
        configuration.isStoredInMemoryOnly
        || places.insert(configuration.url.standardizedFileURL.resolvingSymlinksInPath().path).inserted
      let isNewName =
        configurations.count == 1 || names.insert(configuration.name).inserted || configuration.hasDefaultName
      guard isNewPlace, isNewName else {
        throw SwiftDataError(
          .duplicateConfiguration,
          "\(configuration.debugDescription) occurs twice among the container's configurations: give each a name and a URL of its own."
        )
      }
    }
  }

  /// Refuses a store with the identifier of another one: an identifier of an object would lead to both.
  private func checkIdentity(
    of engine: any StoreEngine, _ configuration: ModelConfiguration, among stores: [OpenStore]
  ) throws {
    guard let other = stores.first(where: { $0.engine.identifier == engine.identifier }) else { return }
    throw SwiftDataError(
      .duplicateConfiguration,
      """
      \(other.configuration.debugDescription) and \(configuration.debugDescription) have the store identifier \(engine.identifier): \
      they are one store, or copies of one. Open each in a container of its own.
      """)
  }

  /// Checks that a version of the migration plan has every entity of the schema.
  private func checkPlan() throws {
    guard let migrationPlan, let last = migrationPlan.schemas.last else { return }
    let names = Set(schema.entities.map(\.name))
    func missing(_ version: any VersionedSchema.Type) -> Set<String> {
      names.subtracting(Schema(versionedSchema: version).entities.map(\.name))
    }
    guard !migrationPlan.schemas.reversed().contains(where: { missing($0).isEmpty }) else { return }
    throw SwiftDataError(
      .unknownSchema,
      "The last version of \(migrationPlan), \(last), lacks \(missing(last).sorted().joined(separator: ", ")) of the container's schema."
    )
  }

  /// The model as SwiftData archives it: a container's only configuration, if it has the default name, lists all
  /// entities (VH-15).
  private func named(_ model: ModelDescription, by configuration: ModelConfiguration) -> ModelDescription {
    guard configurations.count == 1, configuration.hasDefaultName, model.configurations.isEmpty else { return model }
    var named = model
    named.configurations = [
      ConfigurationDescription(name: configuration.name, entityNames: model.entities.map(\.name))
    ]
    return named
  }

  private func openEngine(
    _ configuration: ModelConfiguration, _ model: ModelDescription,
    _ prepare: @escaping ([ModelDescription]) -> [ModelDescription]
  ) throws -> any StoreEngine {
    do {
      if let openStore { return try openStore(configuration, model) }
      guard let migrator = try configuration.migrator() else { return try configuration.openEngine(model) }
      let goal = MigrationGoal(model: model, plan: migrationPlan, prepare: prepare)
      return try StoreMigration(configuration: configuration, goal: goal, migrator: migrator).open()
    } catch let error as SwiftDataError { throw error } catch let error as any StoreOpeningError
      where error.isOfOtherModel && !configuration.allowsSave
    {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "The store at \(configuration.place) is not migrated, because its configuration does not allow saving (allowsSave: false), and \(error.problem). Open it once with a configuration that allows saving, or with the classes it was made with."
      )
    } catch {
      throw SwiftDataError(.loadIssueModelContainer, "\(error)", underlyingError: error)
    }
  }
}

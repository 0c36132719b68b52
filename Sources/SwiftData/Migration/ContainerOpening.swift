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

  /// - Throws: ``SwiftDataError``
  func open() throws -> ContainerCore {
    try checkConfigurations()
    try checkPlan()
    let model = try schema.lowered()
    let parts = try entityNames(model)
    var stores: [OpenStore] = []
    var firstTable = 0
    for (index, configuration) in configurations.enumerated() {
      let prepare = { (model: ModelDescription) in named(model, by: configuration) }
      let engine = try openEngine(configuration, prepare(restricted(model, to: parts[index]))) { version in
        // A version of the plan has the entities of all stores; this store has those that no other configuration names.
        prepare(restricted(version, to: entityNames(of: version, in: index)))
      }
      try checkIdentity(of: engine, configuration, among: stores)
      let classes = schema.classes.filter { parts[index].contains($0.key) }.mapValues(\.type)
      let opened = try OpenStore(
        index: index, configuration: configuration, engine: engine, classes: classes, firstTable: firstTable)
      opened.historyRetention.applyIfDue(to: opened)
      firstTable += opened.tableCount
      stores.append(opened)
    }
    return ContainerCore(schema: schema, stores: stores)
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

  /// The entities of each configuration: the entities of its schema. The first configuration without a schema gets the entities
  /// that no configuration's schema has.
  ///
  /// An entity may be in several configurations; then each of their stores has objects of it.
  private func entityNames(_ model: ModelDescription) throws -> [Set<String>] {
    let all = Set(model.entities.map(\.name))
    var rest = all
    var parts = [Set<String>](repeating: [], count: configurations.count)
    for (index, configuration) in configurations.enumerated() {
      guard let own = configuration.schema else { continue }
      let names = Set(own.entities.map(\.name))
      if let stranger = names.subtracting(all).min() {
        throw SwiftDataError(
          .configurationSchemaNotFoundInContainerSchema,
          "\(configuration.debugDescription) has entity \"\(stranger)\", which the container's schema lacks.")
      }
      parts[index] = names
      rest.subtract(names)
    }
    if let index = configurations.firstIndex(where: { $0.schema == nil }) {
      parts[index] = rest
    } else if let homeless = rest.min() {
      throw SwiftDataError(
        .configurationSchemaNotFoundInContainerSchema,
        "No configuration's schema has entity \"\(homeless)\": add it to one, or leave the schema out.")
    }
    return parts
  }

  /// The entities of a version that belong in a configuration's store.
  private func entityNames(of version: ModelDescription, in index: Int) -> Set<String> {
    let all = Set(version.entities.map(\.name))
    if let own = configurations[index].schema { return all.intersection(own.entities.map(\.name)) }
    return all.subtracting(configurations.compactMap(\.schema).flatMap { $0.entities.map(\.name) })
  }

  private func restricted(_ model: ModelDescription, to names: Set<String>) -> ModelDescription {
    var part = model
    part.entities.removeAll { !names.contains($0.name) }
    return part
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
    _ prepare: @escaping (ModelDescription) -> ModelDescription
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

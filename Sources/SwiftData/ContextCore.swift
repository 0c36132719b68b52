internal import Foundation
internal import Logging
internal import StoreRequests

/// The core of a model context: its objects, their unsaved changes, and access to the stores.
///
/// Objects hold the core strongly; the core holds its ``ModelContext`` weakly. When the context is released, the core
/// drops its objects; objects held elsewhere stay readable. The core belongs to one executor at a time, except for its
/// inbox.
final class ContextCore {
  let container: ContainerCore
  weak var modelContext: ModelContext?
  let identityMap: IdentityMap
  var unit = UnitOfWork()
  var aliases = UpsertAliases()
  /// Faults that are not filled yet.
  var openFaults = OpenFaults()
  /// Objects of one fetch are likely to be needed together.
  var recentFetches = RecentFetches()
  /// Rows that other contexts changed and this context has not merged yet.
  let inbox = Inbox()
  /// Every change of the context passes through it.
  let changeStream = ChangeStream()
  var editingState = EditingState()
  var conflictPolicy = SaveConflictPolicy.mergeByProperty
  var uniquenessPolicy = UniquenessPolicy.upsert
  let exclusiveUse = ExclusiveUse()
  /// Grows with each save of the context and with each merge of others' saves: rows read before may be older than objects.
  var stateNumber = 0
  /// The first failed read since the last call of ``reportingReadFailures(_:)``.
  var readFailure: (any Error)?
  /// Whether interrupted changes are being completed.
  var isCompletingUnit = false
  /// The last failed read, recorded with properties that could not be read.
  var lastReadFailure: (any Error)?
  /// Loaded relationships to bring up to date after the current reading.
  var staleInverses = StaleInverses()
  /// Whether an object of an entity may have an exclusive owner, by tag, for the entities asked about before.
  var exclusivelyOwnedEntities: [Int32: Bool] = [:]
  /// See ``mayLeaveLinks(_:)``.
  var entitiesLeavingLinks: [Int32: Bool] = [:]
  /// Required relationships without an inverse, by the tag of their destination, for the destinations asked about before.
  var requirements: [Int32: [Requirement]] = [:]
  /// Objects whose rows are gone, for the relationships of other deleted objects.
  var deletedObjects = DeletedObjects()
  /// The number of closures of ``ModelContext/transaction(block:)`` that are running.
  var openTransactions = 0
  /// Whether ``ModelContext/willSave`` is being posted.
  var isAnnouncingSave = false
  /// Whether the public context is released; see ``close()``.
  private(set) var isClosed = false
  /// Whether a running operation of a closed context drops the loaded objects at its end.
  private var forgetsLoaded = false

  init(_ container: ContainerCore) {
    self.container = container
    identityMap = IdentityMap(container)
    container.register(inbox)
  }

  /// Drops all objects, so that they do not keep each other alive; called when the public context is released.
  ///
  /// Objects held elsewhere stay readable, and lead to one another. The core does not keep what they load later: they hold the
  /// core, so a core that held them would never be released.
  func close() {
    isClosed = true
    leaveStores()
    changeStream.removeAllListeners()
    inbox.onFirstChange(nil)
    identityMap.forEachOwner { dropMembers(of: $0) }
    var releaser = ReferenceReleaser()
    for object in unit.changed.array + unit.deleted.array {
      takeBackGivenLinks(of: object)
      object._$state.extras?.links.removeAll()
      for property in binding(of: object)?.relationships ?? [] { object._$visit(property, &releaser) }
    }
    for object in unit.inserted { detach(object) }
    for object in unit.deleted {
      if let binding = binding(of: object) { identityMap.remove(table: binding.table, key: object._$state.key) }
    }
    identityMap.retire()
    aliases.removeAll()
    unit = UnitOfWork()
    recentFetches = RecentFetches()
    openFaults = OpenFaults()
  }

  func log(_ error: any Error, _ activity: String) {
    Logger(label: "SwiftData").error("\(activity): \(error)")
  }

  /// The objects that a closure reads; none if it throws, and the error is logged.
  func logging<Model>(_ activity: @autoclosure () -> String, _ body: () throws -> [Model]) -> [Model] {
    do { return try body() } catch {
      log(error, activity())
      return []
    }
  }

  // MARK: Bindings

  func store(_ tag: Int32) -> OpenStore { container.stores[EntityTag.store(tag)] }

  func binding(_ tag: Int32) -> EntityBinding? {
    let index = EntityTag.store(tag)
    return container.stores.indices.contains(index) ? container.stores[index].binding(EntityTag.entity(tag)) : nil
  }

  func binding(of object: any PersistentModel) -> EntityBinding? {
    object._$state.entity == 0 ? container.binding(of: type(of: object)) : binding(object._$state.entity)
  }

  /// Runs an operation that may load objects, with the check that only one thread uses the context.
  func loading<Result>(_ name: StaticString, _ body: () throws -> Result) rethrows -> Result {
    try exclusiveUse.during(name) {
      guard isClosed, !forgetsLoaded else { return try body() }
      forgetsLoaded = true
      defer { forgetLoaded() }
      return try body()
    }
  }

  /// Drops the objects that an object of a closed context loaded; the caller holds the objects it asked for.
  private func forgetLoaded() {
    forgetsLoaded = false
    identityMap.forEachOwner { dropMembers(of: $0) }
    identityMap.retire()
    recentFetches = RecentFetches()
    openFaults = OpenFaults()
  }

  /// The registered object of a row.
  func registered(_ tag: Int32, _ key: Int64) -> (any PersistentModel)? {
    guard let binding = binding(tag), let object = identityMap.object(binding.table, key) else { return nil }
    return binding.model(object)
  }

  /// Whether an object is the registered object of its row. An alias is not, nor is an object without a row.
  func isObjectOfItsRow(_ object: any PersistentModel) -> Bool {
    binding(of: object).map { identityMap.object($0.table, object._$state.key) === object } ?? false
  }
}

// Requests of objects to their context, here and in FaultBatch.swift and Relationships.swift.
//
// All calls come on the thread that uses the object. None may throw: a failed read is logged and leaves the object as
// it is. Getters then return defaults, and the next read tries again (ContextCore+Failures.swift).
extension ContextCore {
  /// The identifier of an object that has a row.
  func identifier(of key: ObjectKey) -> PersistentIdentifier {
    let row = ObjectKey(entity: EntityTag.entity(key.entity), key: key.key)
    return store(key.entity).identifier(of: row)
      ?? PersistentIdentifier(EntityReference(storeIdentifier: "", name: "?"), key: key.key)
  }

  /// Registers an object as changed, before the first change of a property since the last read or save.
  ///
  /// The property's original storage and its changed bit are set already.
  func willChange(_ object: any PersistentModel, at property: Int) {
    exclusiveUse.check("changing an object")
    // A closed context never saves, so the change stays in the object.
    guard !isClosed else { return }
    expandBatches(concerning: object._$state.entity)
    unit.lookup.noteChange(of: object, at: property, isFirst: true)
    switch object._$state.status {
    case .clean:
      object._$state.status = .changed
      unit.changed.append(object)
    case .fault:
      object._$state.isUnread = true
      object._$state.status = .changed
      unit.changed.append(object)
    case .changed: unit.changed.append(object)
    case .detached, .inserted, .deleted, .orphaned: break
    }
    guard unit.isIncomplete, object._$state.extras?.originals[property]?._isPending == true,
      binding(of: object)?.properties[property].relationship != nil
    else { return }
    unit.assignments.append(.init(object: object, property: property))
  }
}

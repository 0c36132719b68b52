internal import CoreDataStore
internal import Foundation
internal import Logging

/// The inside of a model context: its objects, what has changed of them, and the ways to the stores.
///
/// Objects hold it strongly, it knows its ``ModelContext`` weakly; when that is released, the core drops what it keeps, and
/// objects that are still held stay readable. Belongs to one executor at a time, but for the inbox of ``ChangeFeed``.
final class ContextCore {
  let container: ContainerCore
  weak var modelContext: ModelContext?
  let identityMap: IdentityMap
  var unit = UnitOfWork()
  var aliases = UpsertAliases()
  /// Faults that were made and not filled yet, by table, in order.
  var openFaults: [Int: [Int64]] = [:]
  /// The keys of recent fetches in their order: objects that are likely to be needed together.
  var cohorts: [Cohort] = []
  /// Rows that other contexts changed since this one last looked.
  let inbox = Inbox()
  /// The one place through which every change goes.
  let changeStream = ChangeStream()
  var author: String?
  var conflictPolicy = SaveConflictPolicy.mergeByProperty
  let exclusiveUse = ExclusiveUse()
  /// The first failure to read since the last call of ``reportingReadFailures(_:)``.
  var readFailure: (any Error)?
  /// The last failure to read, for objects that remember what they could not read.
  var lastReadFailure: (any Error)?
  /// Whether the public context is gone; see ``close()``.
  private(set) var isClosed = false
  /// Whether an operation is running after which a closed context lets go of what was loaded.
  private var forgetsLoaded = false

  init(_ container: ContainerCore) {
    self.container = container
    identityMap = IdentityMap(container)
    container.register(inbox)
  }

  /// Drops everything, so that no objects keep each other alive; called when the public context is released.
  ///
  /// Objects that somebody still holds stay readable. What they load afterwards is not kept here: the objects hold this core, and
  /// would live for ever if it held them.
  func close() {
    isClosed = true
    changeStream.removeAllListeners()
    inbox.onFirstChange(nil)
    identityMap.forEachOwner { dropMembers(of: $0) }
    for object in unit.inserted { dropLinks(of: object) }
    for object in unit.changed { object._$state.extras?.links.removeAll() }
    identityMap.removeAll()
    aliases.removeAll()
    unit = UnitOfWork()
    cohorts = []
    openFaults = [:]
  }

  func log(_ error: any Error, _ activity: String) {
    Logger(label: "SwiftData").error("\(activity): \(error)")
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

  /// Runs an operation that may load objects, for which the calling thread has to have the context alone.
  func loading<Result>(_ name: StaticString, _ body: () throws -> Result) rethrows -> Result {
    try exclusiveUse.during(name) {
      guard isClosed, !forgetsLoaded else { return try body() }
      forgetsLoaded = true
      defer { forgetLoaded() }
      return try body()
    }
  }

  /// Lets go of what an object of a closed context has loaded: whoever asked for it holds it.
  private func forgetLoaded() {
    forgetsLoaded = false
    identityMap.forEachOwner { dropMembers(of: $0) }
    identityMap.removeAll()
    cohorts = []
    openFaults = [:]
  }

  /// The registered object of a row.
  func registered(_ tag: Int32, _ key: Int64) -> (any PersistentModel)? {
    guard let binding = binding(tag), let object = identityMap.object(binding.table, key) else { return nil }
    return binding.model(object)
  }
}

// What an object asks of the context it is in, here and in FaultBatch.swift and Relationships.swift.
//
// All calls come on the thread that uses the object. None may fail: a store that cannot be read is logged and leaves the object as
// it is; reading gives defaults then, and the next read tries again (ContextCore+Failures.swift).
extension ContextCore {
  /// The identity of an object that has a row.
  func identifier(of key: ObjectKey) -> PersistentIdentifier {
    guard let reference = store(key.entity).reference(EntityTag.entity(key.entity)) else {
      return PersistentIdentifier(EntityReference(storeIdentifier: "", name: "?"), key: key.key)
    }
    return PersistentIdentifier(reference, key: key.key)
  }

  /// A property is about to change for the first time since the last read or save; its original storage is kept already and its
  /// bit is set. Registers the object as changed and sets its status.
  func willChange(_ object: any PersistentModel, at property: Int) {
    exclusiveUse.check("changing an object")
    // The change stays in the object, which no save will write.
    guard !isClosed else { return }
    unit.lookup.noteChange(of: object, at: property)
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

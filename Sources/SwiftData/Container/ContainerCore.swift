internal import Foundation
internal import StoreRequests
internal import Synchronization

/// The core of a container: its open stores and their classes. Each context's core holds it.
final class ContainerCore: Sendable {
  let schema: Schema
  let stores: [OpenStore]
  /// The number of tables in all stores together.
  let tableCount: Int
  /// The places of the tables whose objects can have to-many relationships.
  let tablesOfOwners: Set<Int>
  /// The bindings of each class, in the order of the stores; more than one if several stores keep objects of the class.
  private let bindingsByClass: [ObjectIdentifier: [EntityBinding]]
  /// The binding of each class in the store of its new objects.
  private let bindingByClass: [ObjectIdentifier: EntityBinding]
  /// The classes of the schema whose objects are in no store here.
  private let classesWithoutStore: Set<ObjectIdentifier>
  private let inboxes = Inboxes()
  let activity = ActivityCounting()
  let jointSaves = JointSaveRecovery()
  /// The code of a migration's stage for which the container is open.
  let stage: StageCode?
  /// Notices saves to the stores, by any context or process.
  let remoteChanges: RemoteChanges
  private let observation = Mutex(Observation())

  /// What ``ModelContainer/remoteChange`` needs.
  private struct Observation {
    weak var container: ModelContainer?
    var registration: RemoteChanges.Registration?
  }

  init(schema: Schema, stores: [OpenStore], stage: StageCode? = nil) {
    self.schema = schema
    self.stage = stage
    self.stores = stores
    tableCount = stores.reduce(0) { $0 + $1.tableCount }
    let bindings = Dictionary(grouping: stores.flatMap(\.ownBindings)) { ObjectIdentifier($0.type) }
    bindingsByClass = bindings
    classesWithoutStore = Set(schema.classes.values.map { ObjectIdentifier($0.type) }).subtracting(bindings.keys)
    bindingByClass = bindings.compactMapValues { bindings in
      bindings.first { stores[EntityTag.store($0.tag)].configuration.allowsSave } ?? bindings.first
    }
    remoteChanges = RemoteChanges(stores) { [inboxes] in inboxes.deliver($0, except: nil) }
    tablesOfOwners = Set(stores.flatMap(\.ownBindings).filter { !$0.toMany.isEmpty }.map(\.table))
  }

  /// The binding of a class in the store of its new objects: the first store that allows saving.
  func binding(of type: any PersistentModel.Type) -> EntityBinding? { bindingByClass[ObjectIdentifier(type)] }

  /// Whether more than one store keeps objects of a class.
  func isInSeveralStores(_ type: any PersistentModel.Type) -> Bool {
    (bindingsByClass[ObjectIdentifier(type)]?.count ?? 0) > 1
  }

  /// The binding of a class in the store of another object; `nil` if that store has no objects of the class.
  func binding(of type: any PersistentModel.Type, besides tag: Int32) -> EntityBinding? {
    bindingsByClass[ObjectIdentifier(type)]?.first { EntityTag.store($0.tag) == EntityTag.store(tag) }
  }

  /// The binding of a class in a store; `nil` if the store has no objects of the class.
  func binding(of type: any PersistentModel.Type, in store: OpenStore) -> EntityBinding? {
    bindingsByClass[ObjectIdentifier(type)]?.first { EntityTag.store($0.tag) == store.index }
  }

  /// Whether a class is in the schema, and no store here keeps its objects.
  ///
  /// A stage of a migration sees the classes of a whole version, and the objects of one store.
  func isWithoutStore(_ type: any PersistentModel.Type) -> Bool { classesWithoutStore.contains(ObjectIdentifier(type)) }

  /// The bindings of a class in all stores that keep its objects, or an error that names the class and the classes of the
  /// schema.
  func existingBindings(of type: any PersistentModel.Type) throws -> [EntityBinding] {
    if let bindings = bindingsByClass[ObjectIdentifier(type)] { return bindings }
    if isWithoutStore(type) { return [] }
    let names = names(missing: type)
    let remedy =
      stage == nil
      ? "Give it to ModelContainer(for:)."
      : "In a stage, willMigrate and an old context have the old version's classes, didMigrate and a new context the new one's."
    throw SwiftDataError(
      .unknownSchema,
      "Class \(names.missing) is not in the container's schema, which has \(names.known). \(remedy)")
  }

  /// A class that the stores lack, and the stores' classes, for errors.
  ///
  /// Classes of two versions of a schema have the same short name. Then all names are complete.
  func names(missing type: any PersistentModel.Type) -> (missing: String, known: String) {
    let types = stores.flatMap(\.ownBindings).map(\.type)
    let isAmbiguous = types.contains { "\($0)" == "\(type)" }
    func name(_ type: any PersistentModel.Type) -> String { isAmbiguous ? String(reflecting: type) : "\(type)" }
    return (name(type), Set(types.map(name)).sorted().joined(separator: ", "))
  }

  /// The row of an identifier in one of the stores; for a temporary identifier, the row that its first save gave it.
  func row(of identifier: PersistentIdentifier) -> (tag: Int32, key: Int64)? {
    for store in stores {
      guard let object = store.object(of: identifier) else { continue }
      return (EntityTag.make(store: store.index, entity: object.entity), object.key)
    }
    return nil
  }

  func register(_ inbox: Inbox) {
    inboxes.add(inbox)
    if stage == nil { remoteChanges.begin() }
  }

  /// Passes the rows that a save changed to every other context.
  func announce(_ changes: SavedChanges, from sender: Inbox?) {
    let receivers = inboxes.others(than: sender)
    if !receivers.isEmpty {
      let rows = ChangedRows(
        inserted: receivers.contains(where: \.keepsInsertions) ? rows(of: changes.inserted) : [],
        updated: rows(of: changes.updated + changes.refreshed + changes.returned), deleted: rows(of: changes.deleted),
        exclusiveOwners: changes.exclusiveOwners)
      for receiver in receivers { receiver.receive(rows) }
    }
    let customSaves = CustomStoreSave.saves(of: changes, in: self)
    remoteChanges.noteOwnSave(changes.transactions, customSaves.compactMap { $0.counted(in: $0.store) })
    guard !customSaves.isEmpty else { return }
    OpenContainers.forEach { container in
      guard container !== self else { return }
      for save in customSaves { container.noteSaveElsewhere(save) }
    }
  }

  /// Takes note of another container's save to a custom store, if this container has the store open, too.
  private func noteSaveElsewhere(_ save: CustomStoreSave) {
    for store in stores where save.isIn(store) {
      store.descriptorEngine?.storeDidChangeElsewhere()
      remoteChanges.noteSaveElsewhere(save.changes, in: store, save.counted(in: store))
    }
  }

  private func rows(of identifiers: [PersistentIdentifier]) -> Set<ObjectKey> {
    var rows = Set<ObjectKey>(minimumCapacity: identifiers.count)
    for identifier in identifiers {
      if let row = row(of: identifier) { rows.insert(ObjectKey(entity: row.tag, key: row.key)) }
    }
    return rows
  }
}

// The observation of all saves.
extension ContainerCore {
  /// The container that the program uses; the object of notifications.
  var publicContainer: ModelContainer? {
    get { observation.withLock { $0.container } }
    set { observation.withLock { $0.container = newValue } }
  }

  /// Listens to all saves as long as the container lives.
  func keepListening(_ hear: @escaping @Sendable (RemoteChanges.Event) -> Void) {
    let registration = remoteChanges.listen(hear)
    observation.withLock { $0.registration = registration }
  }
}

/// The inboxes of a container's contexts.
private final class Inboxes: Sendable {
  private let inboxes = Mutex<(all: [WeakInbox], sweepThreshold: Int)>(([], 16))

  /// A weak reference to the inbox of a context.
  ///
  /// It does not refer to the context's core: every object holds the core, and weak references slow down its reference
  /// counting.
  private struct WeakInbox {
    weak var inbox: Inbox?
  }

  func add(_ inbox: Inbox) {
    inboxes.withLock { inboxes in
      if inboxes.all.count > inboxes.sweepThreshold {
        inboxes.all.removeAll { $0.inbox == nil }
        inboxes.sweepThreshold = max(16, 2 * inboxes.all.count)
      }
      inboxes.all.append(WeakInbox(inbox: inbox))
    }
  }

  func others(than sender: Inbox?) -> [Inbox] {
    inboxes.withLock { $0.all }.compactMap(\.inbox).filter { $0 !== sender }
  }

  func deliver(_ rows: ChangedRows, except sender: Inbox?) {
    for receiver in others(than: sender) { receiver.receive(rows) }
  }
}

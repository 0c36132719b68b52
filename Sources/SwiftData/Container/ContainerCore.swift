internal import CoreDataStore
internal import Foundation
internal import Synchronization

/// The core of a container: its open stores and their classes. Each context's core holds it.
final class ContainerCore: Sendable {
  let schema: Schema
  let stores: [OpenStore]
  /// The number of tables in all stores together.
  let tableCount: Int
  /// The places of the tables whose objects can have to-many relationships.
  let tablesOfOwners: Set<Int>
  private let bindingByClass: [ObjectIdentifier: EntityBinding]
  private let inboxes = Mutex<[WeakInbox]>([])

  /// A weak reference to the inbox of a context.
  ///
  /// It does not refer to the context's core: every object holds the core, and weak references slow down its reference
  /// counting.
  private struct WeakInbox {
    weak var inbox: Inbox?
  }

  init(schema: Schema, stores: [OpenStore]) {
    self.schema = schema
    self.stores = stores
    tableCount = stores.reduce(0) { $0 + $1.tableCount }
    var bindings: [ObjectIdentifier: EntityBinding] = [:]
    for store in stores.reversed() {
      for binding in store.ownBindings { bindings[ObjectIdentifier(binding.type)] = binding }
    }
    bindingByClass = bindings
    tablesOfOwners = Set(stores.flatMap(\.ownBindings).filter { !$0.toMany.isEmpty }.map(\.table))
  }

  func binding(of type: any PersistentModel.Type) -> EntityBinding? { bindingByClass[ObjectIdentifier(type)] }

  /// The binding of a class, or an error that names the class and the classes of the schema.
  func existingBinding(of type: any PersistentModel.Type) throws -> EntityBinding {
    if let binding = binding(of: type) { return binding }
    let known = stores.flatMap(\.ownBindings).map { "\($0.type)" }.sorted()
    throw SwiftDataError(
      .unknownSchema,
      "Class \(type) is not in the container's schema, which has \(known.joined(separator: ", ")). Give it to ModelContainer(for:)."
    )
  }

  /// The row of an identifier in one of the stores; for a temporary identifier, the row that its first save gave it.
  func row(of identifier: PersistentIdentifier) -> (tag: Int32, key: Int64)? {
    guard case .row(let entity, let key)? = identifier.permanent?.representation,
      let store = stores.first(where: { $0.store.identifier == entity.storeIdentifier }),
      let number = store.number(of: entity.name)
    else { return nil }
    return (EntityTag.make(store: store.index, entity: number), key)
  }

  func register(_ inbox: Inbox) {
    inboxes.withLock { inboxes in
      if inboxes.count > 16 { inboxes.removeAll { $0.inbox == nil } }
      inboxes.append(WeakInbox(inbox: inbox))
    }
  }

  /// Passes the rows that a save changed to every other context.
  func announce(_ changes: SavedChanges, from sender: Inbox?) {
    let receivers = inboxes.withLock { $0 }.compactMap(\.inbox).filter { $0 !== sender }
    guard !receivers.isEmpty else { return }
    let rows = ChangedRows(
      updated: rows(of: changes.updated + changes.refreshed), deleted: rows(of: changes.deleted),
      exclusiveOwners: changes.exclusiveOwners)
    for receiver in receivers { receiver.receive(rows) }
  }

  private func rows(of identifiers: [PersistentIdentifier]) -> Set<ObjectKey> {
    var rows = Set<ObjectKey>(minimumCapacity: identifiers.count)
    for identifier in identifiers {
      if let row = row(of: identifier) { rows.insert(ObjectKey(entity: row.tag, key: row.key)) }
    }
    return rows
  }
}

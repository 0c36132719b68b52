internal import CoreDataStore
internal import Foundation
internal import Synchronization

/// The inside of a container: its open stores and the classes in them; what contexts hold on to.
final class ContainerCore: Sendable {
  let schema: Schema
  let stores: [OpenStore]
  /// How many tables all stores have.
  let tableCount: Int
  private let bindingByClass: [ObjectIdentifier: EntityBinding]
  private let contexts = Mutex<[WeakCore]>([])

  /// A context that may be gone; only its inbox is ever touched from other threads.
  private struct WeakCore: @unchecked Sendable {
    weak var core: ContextCore?
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
  }

  func binding(of type: any PersistentModel.Type) -> EntityBinding? { bindingByClass[ObjectIdentifier(type)] }

  /// The binding of a class, or an error that says what is missing.
  func existingBinding(of type: any PersistentModel.Type) throws -> EntityBinding {
    if let binding = binding(of: type) { return binding }
    let known = stores.flatMap(\.ownBindings).map { "\($0.type)" }.sorted()
    throw SwiftDataError(
      .unknownSchema,
      "Class \(type) is not in the container's schema, which has \(known.joined(separator: ", ")). Give it to ModelContainer(for:)."
    )
  }

  /// The row that an identifier stands for in one of the stores; a temporary one stands for what it became.
  func row(of identifier: PersistentIdentifier) -> (tag: Int32, key: Int64)? {
    guard case .row(let entity, let key)? = identifier.permanent?.representation,
      let store = stores.first(where: { $0.store.identifier == entity.storeIdentifier }),
      let number = store.number(of: entity.name)
    else { return nil }
    return (EntityTag.make(store: store.index, entity: number), key)
  }

  func register(_ core: ContextCore) {
    contexts.withLock { contexts in
      if contexts.count > 16 { contexts.removeAll { $0.core == nil } }
      contexts.append(WeakCore(core: core))
    }
  }

  /// Tells every other context of a save.
  func announce(_ changes: SavedChanges, from sender: ContextCore?) {
    let receivers = contexts.withLock { $0 }
    for receiver in receivers {
      if let core = receiver.core, core !== sender { core.receive(changes) }
    }
  }
}

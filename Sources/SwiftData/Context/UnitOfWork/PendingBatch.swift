internal import ManagedModel
internal import StoreRequests

/// A deletion or an update by a predicate that waits for the next save.
///
/// The save carries it out by SQL, without loading objects; registered objects follow after it. If the context fetches or
/// changes objects of a concerned class before, it loads the objects and changes each of them. So a fetch shows the change, and
/// a rollback undoes it.
struct PendingBatch {
  /// The changes by store, as index in the container.
  var changes: [Int: Change]
  let scope: BatchScope
  /// Objects that are deleted already, whose cascades the change carries out.
  var objects: [any PersistentModel] = []
  /// Makes the change by objects, for the objects that satisfy a condition.
  let apply: Apply

  enum Change {
    /// The engine makes the change within the transaction of the save.
    case batch(BatchChange)
    /// The custom store makes the deletion with a request of its own.
    case deletion(any DeletionRequest)
  }

  typealias Apply = (ContextCore, _ isWanted: (any PersistentModel) -> Bool) throws -> Void

  /// Makes the change by objects, in the stores that have not saved it. New objects came after it: they are not concerned.
  func changeObjects(_ core: ContextCore) throws {
    try apply(core) { object in
      object._$state.status != .inserted && changes[EntityTag.store(object._$state.entity)] != nil
    }
  }
}

extension PendingBatch {
  /// Whether a custom store makes the deletion by itself.
  var isHandedOver: Bool {
    changes.values.contains { if case .deletion = $0 { true } else { false } }
  }
}

/// The entities that a batch change concerns, as tags.
struct BatchScope {
  /// Entities whose rows may be deleted or changed.
  private(set) var written: Set<Int32> = []
  /// Entities whose rows may be deleted.
  private(set) var deleted: Set<Int32> = []
  /// Entities whose values the change reads.
  private(set) var read: Set<Int32> = []

  /// The entities that a deletion may reach by a cascade.
  private(set) var cascaded: Set<Int32> = []

  /// Whether a deletion may reach other objects by a cascade.
  var hasCascade: Bool { !cascaded.isEmpty }

  func concerns(_ tag: Int32) -> Bool { written.contains(tag) || read.contains(tag) }

  /// Adds the entities that expressions about a class read.
  ///
  /// - Returns: `false` if an entity is unknown.
  mutating func addReads(_ expressions: [FetchExpression], from root: Int32, _ core: ContextCore) -> Bool {
    let places = RequestPlaces(expressions)
    for place in places.others {
      guard let tag = places.entity(at: place, from: root, core) else { return false }
      read.formUnion(core.store(tag).kinds(of: tag))
    }
    return true
  }

  /// Adds entities whose attributes change.
  mutating func addWrites(_ tags: [Int32]) { written.formUnion(tags) }

  /// Adds entities whose rows are deleted, the entities that a cascade reaches from them, and their neighbours.
  ///
  /// - Returns: `false` if an entity has no class, or a class lacks a relationship: objects would not follow it.
  mutating func addDeletions(_ tags: [Int32], in store: OpenStore) -> Bool {
    var waiting = tags
    while let tag = waiting.popLast() {
      guard deleted.insert(tag).inserted else { continue }
      written.insert(tag)
      guard let binding = store.binding(EntityTag.entity(tag)), binding.tag == tag,
        let entity = store.engine.entities.entity(numbered: EntityTag.entity(tag))
      else { return false }
      for property in entity.properties {
        switch property {
        case .attribute: continue
        case .toOne(let relationship), .toMany(let relationship):
          guard binding.index(of: property.name) != nil else { return false }
          let destinations = store.kinds(of: EntityTag.make(entity: relationship.destinationNumber, besides: tag))
          written.formUnion(destinations)
          if relationship.description.deleteRule == .cascade {
            cascaded.formUnion(destinations)
            waiting += destinations
          }
        }
      }
    }
    return true
  }
}

extension OpenStore {
  /// The tags of an entity and of all entities below it.
  func kinds(of tag: Int32) -> [Int32] {
    guard let entity = engine.entities.entity(numbered: EntityTag.entity(tag)) else { return [tag] }
    return entity.kindNumbers.map { EntityTag.make(entity: $0, besides: tag) }
  }
}

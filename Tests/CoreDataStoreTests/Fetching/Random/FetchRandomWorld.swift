import Foundation
import ManagedModel
import StoreRequests
import TestSupport

/// A random model's store with random rows, and the same objects in memory.
struct FetchRandomWorld<Engine: ValueEngine>: FetchTestObjects {
  typealias Object = FetchTestObject
  let random: FetchRandomModel
  let folder: TemporaryStore
  let store: Engine
  /// The identities of the rows that were saved, in their order.
  let keys: [ObjectKey]
  var objects: [String: [Int64: Object]] = [:]

  func destinationRoot(_ relationship: String, of entity: String) -> String? {
    random.relationships(entity).first { $0.name == relationship }.map { random.root(of: $0.destinationEntityName) }
  }
  func isKind(_ entity: String, of ancestor: String) -> Bool { random.isKind(entity, of: ancestor) }
  func root(of entity: String) -> String { random.root(of: entity) }

  /// Objects of an entity, by key.
  func all(_ entity: String, includesSubentities: Bool = true) -> [Object] {
    (objects[random.root(of: entity)] ?? [:]).values.filter {
      includesSubentities ? random.isKind($0.entity, of: entity) : $0.entity == entity
    }.sorted { $0.key < $1.key }
  }

  // MARK: Making

  /// Saves rows of a model in a new store of it.
  init(_ random: FetchRandomModel, _ rows: RandomRows, _ folder: TemporaryStore, _ store: Engine) throws {
    self.random = random
    self.folder = folder
    self.store = store
    keys = try store.save(rows.changes { try store.entities.existingEntity($0).number }).inserted.map(\.object)
    for (index, one) in rows.made.enumerated() {
      objects[random.root(of: one.entity), default: [:]][keys[index].key] = Object(
        entity: one.entity, number: keys[index].entity, key: keys[index].key, attributes: one.attributes,
        toOne: one.toOne.mapValues { keys[$0].key }, toMany: one.toMany.mapValues { $0.map { keys[$0].key } })
    }
  }
}

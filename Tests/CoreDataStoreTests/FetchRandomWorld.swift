import Foundation
import ManagedModel
import SQLite
import StoreRequests
import TestSupport

@testable import CoreDataStore

/// A random model's store on disk with random rows, some of them deleted by somebody who left the keys that lead to them
/// (CD-3.1), and the same objects in memory.
struct FetchRandomWorld: FetchTestObjects {
  typealias Object = FetchTestWorld.Object
  let random: FetchRandomModel
  let folder: TemporaryStore
  let store: PersistentStore
  private(set) var objects: [String: [Int64: Object]] = [:]

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

  static let texts = RandomRows.texts

  static func value(_ type: AttributeType, _ numbers: inout SplitMix) -> StoreValue { RandomRows.value(type, &numbers) }

  // MARK: Making

  init(_ numbers: inout SplitMix) throws {
    random = FetchRandomModel(&numbers)
    folder = try TemporaryStore()
    store = try PersistentStore.open(at: folder.url, model: random.model)
    let rows = RandomRows(of: random, &numbers)
    let made = rows.made
    let store = store
    let keys = try store.save(rows.changes { Int32(try store.layout.existingEntity($0).number) }).inserted.map(\.object)
    for (index, one) in made.enumerated() {
      objects[random.root(of: one.entity), default: [:]][keys[index].key] = Object(
        entity: one.entity, number: keys[index].entity, key: keys[index].key, attributes: one.attributes,
        toOne: one.toOne.mapValues { keys[$0].key }, toMany: one.toMany.mapValues { $0.map { keys[$0].key } })
    }
    for index in made.indices where numbers.once(in: 12) {
      let table = try store.layout.existingEntity(made[index].entity).table
      try store.write { try $0.execute("DELETE FROM \(table) WHERE Z_PK = \(keys[index].key)") }
      objects[random.root(of: made[index].entity)]?[keys[index].key] = nil
    }
    for link in random.links where !link.isToMany && link.inverseName != nil {
      for (index, one) in made.enumerated() {
        guard let other = one.toOne[link.name], !link.isOwnInverse || index < other, numbers.once(in: 2) else {
          continue
        }
        let (row, name) = numbers.once(in: 2) ? (index, link.name) : (other, link.inverseName ?? link.name)
        try clear(name, of: made[row].entity, key: keys[row].key)
      }
    }
  }

  /// Takes one side of a one-to-one relationship out of the file, which the other still tells (CD-3.1).
  private func clear(_ name: String, of entity: String, key: Int64) throws {
    let entity = try store.layout.existingEntity(entity)
    let relationship = try store.layout.toOne(name, of: entity)
    let columns = [relationship.key] + [relationship.entityColumn].compactMap(\.self)
    let list = columns.map { "\($0) = NULL" }.joined(separator: ", ")
    try store.write { try $0.execute("UPDATE \(entity.table) SET \(list) WHERE Z_PK = \(key)") }
  }
}

import Foundation
import ManagedModel
import SQLite
import StoreRequests
import TestSupport

@testable import CoreDataStore

extension FetchRandomWorld where Engine == PersistentStore {
  /// A world in a file. Some rows are deleted by somebody who left the keys that lead to them (CD-3.1).
  init(_ numbers: inout SplitMix) throws {
    let random = FetchRandomModel(&numbers)
    let folder = try TemporaryStore(damage: "rows by plain SQL, some of which lead nowhere")
    let store = try PersistentStore.open(at: folder.url, model: random.model)
    let rows = RandomRows(of: random, &numbers)
    let made = rows.made
    try self.init(random, rows, folder, store)
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

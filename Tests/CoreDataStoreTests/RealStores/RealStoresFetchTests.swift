import Foundation
import ManagedModel
import SQLite
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

@Suite(.enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
struct RealStoresFetchTests {
  @Test("CD-3: every to-many relationship leads back to the rows that plain SQL finds", arguments: RealStore.all)
  func everyRelationship(_ row: RealStore) throws {
    let copy = try Fixtures.copyOfStore(row.name)
    let store = try row.open(copy)
    for entity in store.layout.entities {
      let owners = try store.keys(FetchRequest(entityName: entity.name))
      guard !owners.isEmpty else { continue }
      for case .toMany(let relationship) in entity.properties where relationship.declaringEntityName == entity.name {
        let cursor = try store.related(to: (entity.name, relationship.description.name), owners: owners, columns: [])
        var pairs: Set<[Int64]> = []
        while try cursor.next() { pairs.insert([cursor.owner, cursor.key]) }
        // By the relationship's predicate form: an object is in it if the subquery says so.
        let counts = try owners.prefix(20).map { owner in
          try store.count(
            FetchRequest(
              entityName: entity.name,
              predicate: .and([
                .comparison(.equal, .object(FetchPath()), .objectConstant(owner)),
                .comparison(
                  .equal,
                  .count(
                    FetchPath(), relationship: relationship.description.name, variable: FetchVariable(1), condition: nil
                  ),
                  .constant(.integer(Int64(pairs.count { $0[0] == owner.key })))),
              ])))
        }
        #expect(counts.allSatisfy { $0 == 1 }, "\(entity.name).\(relationship.description.name)")
        guard let inverse = relationship.inverse,
          let far = store.layout.entity(named: relationship.destinationName)
        else { continue }
        // The other side, read through the other side's storage.
        var back: Set<[Int64]> = []
        if case .toOne? = far.property(named: inverse.description.name) {
          for row in try store.rows(of: far.name, properties: [inverse.description.name]) {
            if case (.integer(let key), .integer(let owner)) = (row[0], row[3]),
              owners.contains(where: { $0.key == owner })
            {
              back.insert([owner, key])
            }
          }
        } else {
          let objects = try store.keys(FetchRequest(entityName: far.name))
          let cursor = try store.related(to: (far.name, inverse.description.name), owners: objects, columns: [])
          while try cursor.next() { back.insert([cursor.key, cursor.owner]) }
        }
        #expect(pairs == back, "\(entity.name).\(relationship.description.name)")
      }
    }
  }
}

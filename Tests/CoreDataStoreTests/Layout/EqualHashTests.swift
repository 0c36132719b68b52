import Foundation
import ManagedModel
import SQLite
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

/// A to-many relationship without inverse and one that is its own inverse have the same version hash (VH-6), but other tables.
@Suite("Models with equal hashes and other tables", .damagesStores("rows by plain SQL, without the counter of keys"))
struct EqualHashTests {
  private static func model(isOwnInverse: Bool) -> ModelDescription {
    ModelDescription(entities: [
      EntityDescription(
        name: "Person",
        properties: [
          .relationship(
            RelationshipDescription(
              name: "peers", destinationEntityName: "Person", inverseName: isOwnInverse ? "peers" : nil,
              inverseEntityName: isOwnInverse ? "Person" : nil, maximumCount: 0))
        ])
    ])
  }

  @Test(
    "VH-6 A store that is opened with the other model keeps its own tables, and their links are read",
    arguments: [false, true])
  func ownTables(isOwnInverse: Bool) throws {
    let temporary = try TemporaryStore()
    let (own, other) = (Self.model(isOwnInverse: isOwnInverse), Self.model(isOwnInverse: !isOwnInverse))
    #expect(try VersionHashes(own) == VersionHashes(other))
    try PersistentStore.open(at: temporary.url, model: own).close()
    let connection = try Connection(path: temporary.url.path, mode: .readWrite)
    try connection.execute("INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 1, 1)")
    try connection.execute(
      isOwnInverse ? "INSERT INTO Z_1PEERS VALUES (1, 2), (2, 1)" : "UPDATE ZPERSON SET Z1PEERS = 1 WHERE Z_PK = 2")
    connection.close()

    let store = try PersistentStore.open(at: temporary.url, model: other)
    defer { store.close() }
    let person = try store.entities.existingEntity("Person").number
    let members = try store.related(
      to: ("Person", "peers"), owners: [ObjectKey(entity: person, key: 1)], columns: [])
    #expect(try members.next() && members.key == 2)
    #expect(try !members.next())
  }
}

import Foundation
import ManagedModel
import SQLite
import StoreRequests
import SwiftData
import TestSupport
import Testing

@testable import CoreDataStore
@testable import SwiftData

// The people of ``PredicateWorld`` in a Core Data store.
extension PredicateStore {
  /// Whether the plans of the tests' fetches may leave something to memory.
  static let allowsInMemory = false

  /// A name as the store can keep it.
  static func storable(_ name: String) -> String { name }

  static func engine(_ temporary: TemporaryStore, _ model: ModelDescription) throws -> any StoreEngine {
    try PersistentStore.open(at: temporary.url, model: model)
  }

  /// A key that no row has.
  static let missingKey: Int64 = 9999

  /// Replaces nil keys by keys of missing rows, or of rows of a wrong entity; both read as nil.
  ///
  /// Adds rows of join tables that lead to or from such rows.
  func finish(clubs: [Int64]) throws {
    let persistent = try #require(engine as? PersistentStore)
    let layout = persistent.layout
    let person = try layout.existingEntity("Person")
    let (boss, team) = try (layout.toOne("boss", of: person), layout.toOne("team", of: person))
    let mentor = try layout.toOne("mentor", of: person)
    let nobody = Self.missingKey
    // A person who is not an employee.
    let stranger = keys[5]
    try persistent.write { connection in
      for (number, key) in keys.enumerated() {
        func point(_ relationship: ToOneLayout, to row: Int64) throws {
          let kind = relationship.entityColumn.map { ", \($0) = \(relationship.destinationNumber)" } ?? ""
          try connection.execute(
            "UPDATE \(person.table) SET \(relationship.key) = \(row)\(kind) WHERE Z_PK = \(key.key)")
        }
        if people[number].boss == nil, number % 2 == 0 { try point(boss, to: nobody - Int64(number % 4)) }
        if people[number].team == nil, number % 8 == 1 { try point(team, to: nobody) }
        if people[number].mentor == nil { try point(mentor, to: number % 3 == 0 ? stranger.key : nobody) }
      }
      for (entity, name, strays) in [
        ("Club", "members", [nobody, nobody - 1]), ("Club", "staff", [nobody, stranger.key, keys[7].key]),
      ] {
        guard
          case .joinTable(let side) = try layout.toMany(name, of: layout.existingEntity(entity)).storage
        else { continue }
        let pairs = clubs.flatMap { club in strays.map { (club, $0) } } + keys.prefix(9).map { (nobody, $0.key) }
        for (own, other) in pairs {
          try connection.execute(
            "INSERT OR IGNORE INTO \(side.table) (\(side.ownColumn), \(side.otherColumn)) VALUES (\(own), \(other))")
        }
      }
    }
  }

  /// The numbers of the people that the store selects for a plan, in its order.
  func numbers<Model>(_ plan: FetchPlan<Model>) throws -> [Int] {
    let numberByKey = Dictionary(zip(keys.map(\.key), keys.indices)) { first, _ in first }
    return try engine.keys(plan.request).compactMap { numberByKey[$0.key] }
  }
}

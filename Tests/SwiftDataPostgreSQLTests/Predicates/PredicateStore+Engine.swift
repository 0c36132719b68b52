import Foundation
import ManagedModel
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreRequests
import SwiftDataPostgreSQL
import TestSupport
import Testing

@testable import SwiftData

// The people of ``PredicateWorld`` in a PostgreSQL store. Its foreign keys lead to rows always, so that no key dangles.
extension PredicateStore {
  /// The store decides about some texts only in part.
  static let allowsInMemory = true

  /// A name as the store can keep it: without the NUL character.
  static func storable(_ name: String) -> String { name.replacingOccurrences(of: "\0", with: "\u{1}") }

  static func engine(_ temporary: TemporaryStore, _ model: ModelDescription) throws -> any StoreEngine {
    var options = ServerOptions()
    options.schema = temporary.databaseSchema
    return try ServerStore.open(try TestServer.required().address, options: options, model: model)
  }

  func finish(clubs: [Int64]) throws {}

  /// The numbers of the people that the store, and memory after it, select for a plan, in its order.
  func numbers<Model>(_ plan: FetchPlan<Model>) throws -> [Int] {
    let numberByKey = Dictionary(zip(keys.map(\.key), keys.indices)) { first, _ in first }
    var selected: [Int] = []
    let rows: any ObjectRows = try engine.fetch(plan.request)
    while try rows.next() { if let number = numberByKey[rows.key] { selected.append(number) } }
    return try selected.filter { number in
      guard let person = people[number] as? Model else { return true }
      return try plan.isWanted(person)
    }
  }
}

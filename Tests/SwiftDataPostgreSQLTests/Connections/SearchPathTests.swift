import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// Sessions whose `search_path` leads to a schema with a store of the same classes: each statement names the schema of its own store.
@Suite("A search path that leads to another store", TestServer.condition)
struct SearchPathTests {
  let own: TravelStore
  let other: TravelStore

  init() throws {
    own = try TravelStore()
    other = try TravelStore()
    try TravelStore.fill(ModelContext(try other.open(TravelV1.self)))
  }

  /// Opens the own store over sessions that look for names in the other one's schema first, or in that schema only.
  private func open(_ version: any VersionedSchema.Type, path: String) throws -> ModelContainer {
    let configuration = PostgreSQLConfiguration(
      own.server.address + "&options=-c%20search_path%3D\(path)", databaseSchema: own.schema, connectionLimit: 3)
    return try ModelContainer(for: Schema(versionedSchema: version), configurations: [configuration])
  }

  private func count(_ table: String, in store: TravelStore) throws -> Int64 {
    try store.server.connect().run("SELECT count(*) FROM \(store.schema).\(table)").integer(0, 0)
  }

  @Test("Objects are saved, fetched, changed and deleted in the configuration's schema", arguments: ["", ",public"])
  func objects(suffix: String) throws {
    let before = try other.dump()
    let container = try open(TravelV1.self, path: other.schema + suffix)
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<TravelV1.Trip>()) == 0)
    try TravelStore.fill(context)
    let fresh = ModelContext(container)
    let trips = try fresh.fetch(FetchDescriptor<TravelV1.Trip>(sortBy: [SortDescriptor(\.nights)]))
    #expect(trips.map(\.nights) == Array(0..<20) && trips[7].stops.count == 3 && trips[0].tags.count == 4)
    trips[1].name = "changed"
    fresh.delete(trips[3])
    let trip = TravelV1.Trip("new", start: .now, rating: nil, nights: 20)
    fresh.insert(trip)
    trip.stops.append(TravelV1.Stop("new"))
    trip.leader = trips[1].leader
    try fresh.save()
    try fresh.update(model: TravelV1.Person.self) { $0.set(\.name, to: "all") }
    try fresh.delete(model: TravelV1.Stop.self, where: #Predicate { $0.title == "new" })
    try fresh.save()
    // A cursor, a sum and the history.
    var seen = 0
    try ModelContext(container).enumerate(FetchDescriptor<TravelV1.Trip>(), batchSize: 5) { _ in seen += 1 }
    #expect(seen == 20)
    #expect(try ModelContext(container).sum(of: \TravelV1.Trip.nights) == (0...20).reduce(0, +) - 3)
    #expect(try fresh.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 3)
    #expect(try count("trip", in: own) == 20 && count("_store_transactions", in: own) == 3)
    #expect(try other.dump() == before)
  }

  @Test("A migration changes the tables of the configuration's schema only, and the other store opens as before")
  func migration() throws {
    let before = try other.dump()
    try TravelStore.fill(ModelContext(try open(TravelV1.self, path: other.schema)))
    let container = try open(TravelV2.self, path: other.schema)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<TravelV2.Journey>()) == 20)
    #expect(try count("journey", in: own) == 20)
    #expect(try own.column("SELECT unnest(pending) FROM \(own.schema)._store").isEmpty)
    #expect(try other.dump() == before)
    let trips = try ModelContext(other.open(TravelV1.self)).fetchCount(FetchDescriptor<TravelV1.Trip>())
    #expect(trips == 20)
  }
}

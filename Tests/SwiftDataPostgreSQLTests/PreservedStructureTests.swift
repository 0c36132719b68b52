import Foundation
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// Structures and enumerations that a deletion leaves in the history.
@Suite("Preserved structures in PostgreSQL", TestServer.condition)
struct PreservedStructureTests {
  enum Kind: String, Codable { case short, long }

  struct Spot: Codable, Equatable {
    var latitude: Double?
    var longitude: Double?
  }

  struct Place: Codable, Equatable {
    var street: String
    var number: Int?
    var spot: Spot
  }

  enum First: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Visit.self] }

    @Model final class Visit {
      var name: String
      @Attribute(.preserveValueOnDeletion) var place: Place
      @Attribute(.preserveValueOnDeletion) var spot: Spot = Spot()
      @Attribute(.preserveValueOnDeletion) var former: Place?
      @Attribute(.preserveValueOnDeletion) var kind: Kind = Kind.short
      var current: Place?
      init(_ name: String, _ place: Place) {
        self.name = name
        self.place = place
      }
    }
  }

  enum Second: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Stay.self] }

    /// Without the number.
    struct Place: Codable, Equatable {
      var street: String
      var spot: Spot
    }

    @Model(originalName: "Visit") final class Stay {
      var name: String
      @Attribute(.preserveValueOnDeletion, originalName: "place") var address: Place
      @Attribute(.preserveValueOnDeletion) var kind: Kind = Kind.short
      init(_ name: String, _ address: Place) {
        self.name = name
        self.address = address
      }
    }
  }

  private typealias Visit = First.Visit

  private let store: TravelStore

  init() throws { store = try TravelStore() }

  private func tombstones<Model: PersistentModel>(
    _ type: Model.Type, _ context: ModelContext
  ) throws -> [HistoryTombstone<Model>] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes).compactMap { change in
      guard case .delete(let deletion) = change else { return nil }
      return (deletion as? DefaultHistoryDelete<Model>)?.tombstone
    }
  }

  private static let place = Place(street: "High Street", number: 7, spot: Spot(latitude: 1.5, longitude: nil))

  private func deleteTwo(_ context: ModelContext) throws {
    let (one, two) = (Visit("a", Self.place), Visit("b", Place(street: "", number: nil, spot: Spot())))
    one.former = Place(street: "Old Street", number: nil, spot: Spot(latitude: nil, longitude: 2))
    one.current = Self.place
    one.kind = .long
    for visit in [one, two] { context.insert(visit) }
    try context.save()
    context.delete(one)
    try context.save()
    try context.delete(model: Visit.self)
    try context.save()
  }

  @Test("A deleted object, alone or of a batch, leaves whole structures and enumerations")
  func structures() throws {
    let context = ModelContext(try store.open(First.self))
    try deleteTwo(context)
    let all = try tombstones(Visit.self, context)
    try #require(all.count == 2)
    #expect(all[0][\.place] as? Place == Self.place)
    #expect(
      all[0][\.former] as? Place == Place(street: "Old Street", number: nil, spot: Spot(latitude: nil, longitude: 2)))
    #expect(all[0][\.kind] as? Kind == .long)
    #expect(all[0][\.current] == nil && all[0][\.name] == nil)
    #expect(all[1][\.place] as? Place == Place(street: "", number: nil, spot: Spot()))
    #expect(all[1][\.former] == nil && all[1][\.kind] as? Kind == .short)
    for tombstone in all { #expect(tombstone[\.spot] as? Spot == Spot()) }
  }

  @Test("A migration renames the attribute in the history, and takes removed members out of it")
  func migrated() throws {
    try deleteTwo(ModelContext(try store.open(First.self)))
    let context = ModelContext(try store.open(Second.self))
    let all = try tombstones(Second.Stay.self, context)
    try #require(all.count == 2)
    #expect(
      all[0][\.address] as? Second.Place
        == Second.Place(street: "High Street", spot: Spot(latitude: 1.5, longitude: nil)))
    #expect(all[0][\.kind] as? Kind == .long)
    let keys = try store.column(
      """
      SELECT string_agg(j.key, ' ' ORDER BY j.key COLLATE "C") FROM \(store.schema)._store_changes, jsonb_each(tombstone) j
      GROUP BY number ORDER BY number
      """
    ).map { $0.replacing("\u{1F}", with: ".") }
    // A structure within a structure is one column.
    #expect(keys == ["address.spot address.street kind", "address.spot address.street kind"], "\(keys)")
  }
}

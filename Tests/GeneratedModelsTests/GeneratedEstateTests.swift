import CoreDataModel
import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import SwiftData
import TestSupport
import Testing

/// Runs a generated stage and the mapping model that it was made of on one store.
@Suite("A generated stage beside its mapping model")
struct GeneratedEstateTests {
  private typealias V1 = EstateSchemaV1

  private func open(
    _ version: any VersionedSchema.Type, _ url: URL, through plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [ModelConfiguration(url: url)]))
  }

  private func fill(_ url: URL, _ change: (ModelContext) throws -> Void = { _ in }) throws {
    let context = try open(V1.self, url)
    let country = V1.Country(name: "Norway", ruler: "Haakon")
    let town = V1.Town(title: "Oslo", country: country)
    let (nobody, firm) = (V1.Party(name: "nobody"), V1.Party(name: "firm", rate: 0.5, score: 2))
    let company = V1.Company(name: "Corp", rate: 1.25, vat: "NO1")
    let house = V1.House(floors: 3, street: "High", guardian: firm, town: town)
    let ruin = V1.House(floors: 0, street: "Low", guardian: firm, town: town)
    let ada = V1.Person(name: "Ada", rate: 0.25, score: 0, age: 40, home: house)
    let bo = V1.Person(name: "Bo", home: ruin)
    let cy = V1.Person(name: "Cy")
    let rooms = [
      V1.Room(area: 10, height: 2.5, house: house), V1.Room(area: 4, height: nil, house: house),
      V1.Room(area: 1, height: 1, house: ruin),
    ]
    let relics = [V1.Relic(text: "cup", owner: firm), V1.Relic(text: "ring", owner: ada)]
    let ledgers = [
      V1.Ledger(class: "A", count: 7, flag: true, day: Date(timeIntervalSinceReferenceDate: 100), extra: 2, ratio: 0.5),
      V1.Ledger(class: "B", count: -3, ratio: 8),
    ]
    let all: [any PersistentModel] =
      [country, town, nobody, firm, company, house, ruin, ada, bo, cy] + rooms + relics + ledgers
    all.forEach { context.insert($0) }
    try context.save()
    try change(context)
    try context.save()
  }

  private func models() throws -> [ModelDescription] {
    try ModelBundle.read(
      at: Fixtures.packageRoot.appendingPathComponent("Tests/ModelGeneratorTests/Models/Estate.xcdatamodeld")
    ).versions.map(\.model)
  }

  /// The rows of every table of objects, with the names of their entities.
  private func rows(_ url: URL) throws -> [String] {
    let store = try PersistentStore.open(at: url)
    defer { store.close() }
    return try store.read { (connection) throws -> [String] in
      var lines: [String] = []
      for entity in store.layout.entities where !entity.isAbstract {
        var columns: [String] = []
        for property in entity.properties {
          switch property {
          case .attribute(let attribute): columns += attribute.columns.map { "\($0.name)" }
          case .toOne(let toOne): columns.append("\(toOne.key)")
          case .toMany: break
          }
        }
        let list = columns.sorted().map { "'\($0)=' || ifnull(CAST(\($0) AS TEXT), '-')" }.joined(
          separator: " || ' ' || ")
        let statement = try connection.prepare(
          "SELECT Z_PK || ' ' || \(list) FROM \(entity.table) WHERE Z_ENT = \(entity.number) ORDER BY Z_PK")
        while try statement.step() { lines.append("\(entity.name) \(statement.text(0) ?? "")") }
      }
      return lines
    }
  }

  @Test("Both leave the same rows, values and links")
  func twins() throws {
    let (first, second) = (try TemporaryStore(), try TemporaryStore())
    try fill(first.url)
    try PersistentStore.open(at: first.url).copy(to: second.url)
    _ = try open(EstateSchemaV2.self, first.url, through: EstateMigrationPlan.self)
    let models = try models()
    try PersistentStore.migrate(at: second.url, by: EstateMapping.mapping, from: models[0], to: models[1])
    let (one, other) = (try rows(first.url), try rows(second.url))
    #expect(one == other)
    func count(_ entity: String) -> Int { other.count { $0.hasPrefix("\(entity) ") } }
    #expect(["Party", "Person", "Company", "House", "Room", "Relic"].map(count) == [1, 3, 1, 1, 2, 0])
  }

  @Test("A number that a property cannot hold stops the stage with its name and value, and the store is as it was")
  func tooLarge() throws {
    let store = try TemporaryStore()
    try fill(store.url) { context in
      context.insert(V1.Ledger(class: "C", count: .max))
    }
    let error = #expect(throws: (any Error).self) {
      try open(EstateSchemaV2.self, store.url, through: EstateMigrationPlan.self)
    }
    #expect(error.map { "\($0)" }?.contains("Ledger.twice cannot hold 4294967294") == true, "\(error as Any)")
    #expect(try open(V1.self, store.url).fetchCount(FetchDescriptor<V1.Relic>()) == 2)
  }
}

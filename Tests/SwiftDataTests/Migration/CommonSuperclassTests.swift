import CoreDataStore
import Foundation
import SQLite
import StoreInspection
import TestSupport
import Testing

@testable import SwiftData

@Suite("Classes that get a common superclass") struct CommonSuperclassTests {
  private let place: TemporaryStore

  init() throws { place = try TemporaryStore() }

  private func open(
    _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan,
        configurations: ModelConfiguration(url: place.url)))
  }

  private func check() throws {
    #expect(try StoreChecker.check(place.url) == [])
    try Oracle.expectSound(place.url)
  }

  @Test(
    "Their objects stay with their values, links and history, although they had equal keys", arguments: [true, false])
  func equalKeys(hasPlan: Bool) throws {
    try Pets.fill(open(Pets.V1.self))
    try Pets.expectPets(open(Pets.V2.self, hasPlan ? Pets.LightPlan.self : nil))
    try check()
  }

  @Test("Objects that a stage deletes before, and inserts after, leave a history that is sound")
  func copied() throws {
    try Pets.fill(open(Pets.V1.self))
    let context = try open(Pets.V2.self, Pets.CopyingPlan.self)
    let pets = try context.fetch(FetchDescriptor<Pets.V2.Pet>(sortBy: [SortDescriptor(\.name)]))
    #expect(pets.map(\.name) == ["Bello", "Kit", "Rex", "Tom"])
    try check()
  }

  @Test("Objects with different keys keep them")
  func differentKeys() throws {
    let context = try open(Pets.V1.self)
    context.insert(Pets.V1.Cat("Tom"))
    try context.save()
    let connection = try Connection(path: place.url.path, mode: .readWrite)
    try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 7 WHERE Z_NAME = 'Dog'")
    connection.close()
    let rex = Pets.V1.Dog("Rex")
    let other = try open(Pets.V1.self)
    other.insert(rex)
    try other.save()
    let pets = try open(Pets.V2.self).fetch(FetchDescriptor<Pets.V2.Pet>(sortBy: [SortDescriptor(\.name)]))
    #expect(pets.map { $0.persistentModelID.primaryKey } == ["p8", "p1"])
    try check()
  }

  @Test(
    "A link that leads to no row stays one, although a row of the other class has its key",
    arguments: Rivals.Link.allCases)
  func danglingLink(link: Rivals.Link) throws {
    func connected<Result>(_ body: (Connection) throws -> Result) throws -> Result {
      let connection = try Connection(path: place.url.path, mode: .readWrite)
      defer { connection.close() }
      return try body(connection)
    }
    try Rivals.fill(open(Rivals.V1.self)) { last in
      try connected { try $0.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(last) WHERE Z_NAME = 'Dog'") }
    }
    let (cat, dog) = (Rivals.catKey, Rivals.dogKey)
    try connected { connection in
      switch link {
      case .toDog: try connection.execute("UPDATE ZCAT SET ZRIVAL = \(cat)")
      case .toCat: try connection.execute("UPDATE ZDOG SET ZRIVAL = \(dog)")
      case .toFriendlyDog: try addPair(cat, cat, connection)
      case .toFriendlyCat: try addPair(dog, dog, connection)
      }
    }
    try Rivals.expectFriends(open(Rivals.V2.self))
    try connected { connection in
      let (table, columns) = try joinTable(connection)
      let keys = "(SELECT Z_PK FROM ZPET)"
      let pairs = "SELECT count(*) FROM \(table) WHERE \(columns[0]) IN \(keys) AND \(columns[1]) IN \(keys)"
      #expect(try connection.integer(pairs) == 1)
      #expect(try connection.integer("SELECT count(*) FROM ZPET WHERE ZRIVAL IN \(keys)") == 0)
    }
  }

  private func joinTable(_ connection: Connection) throws -> (name: String, columns: [String]) {
    let name = try #require(
      try connection.text("SELECT name FROM sqlite_master WHERE name GLOB 'Z_[0-9]*' AND type = 'table'"))
    let columns = try #require(
      try connection.text(
        "SELECT group_concat(name, ',') FROM (SELECT name FROM pragma_table_info('\(name)') WHERE name NOT LIKE '%FOK%' ORDER BY name)"
      ))
    return (name, columns.split(separator: ",").map(String.init))
  }

  /// Adds a pair of keys, which may lead to no row.
  private func addPair(_ cat: Int, _ dog: Int, _ connection: Connection) throws {
    // A column's name begins with the number of the entity that it leads to: 1 for cats, 2 for dogs.
    let (table, columns) = try joinTable(connection)
    try connection.execute(
      "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(cat), \(dog))")
  }

  @Test("Numbers that no key can be do not keep a store from its migration", arguments: [Int64.max, .min, -1])
  func impossibleLink(key: Int64) throws {
    try Rivals.fill(open(Rivals.V1.self)) { _ in }
    let connection = try Connection(path: place.url.path, mode: .readWrite)
    try connection.execute("UPDATE ZCAT SET ZRIVAL = \(key); UPDATE ZDOG SET ZRIVAL = \(key)")
    connection.close()
    try Rivals.expectFriends(open(Rivals.V2.self))
  }
}

import CoreDataStore
import SQLite
import TestSupport
import Testing

@testable import SwiftData

@Suite(
  "Rows that other programs changed in ways that Core Data never does",
  .damagesStores("rows by plain SQL, without history"))
struct ForeignRowTests {
  private func execute(_ statement: String, in world: World) throws {
    try #require(world.container.core.stores[0].engine as? PersistentStore).write { try $0.execute(statement) }
  }

  /// The number of an entity.
  private func number(_ entity: String, in world: World) throws -> Int {
    Int(try #require(world.container.core.stores[0].number(of: entity)))
  }

  @Test("CD-2 An object whose row now has another class is orphaned, and reads no column of that class")
  func entity() throws {
    let world = try World()
    let lamp = Lamp(weight: 2, watts: 60)
    world.context.insert(lamp)
    world.context.insert(Vase(weight: 3, material: "clay"))
    try world.context.save()
    let vase = try number("Vase", in: world)
    try execute("UPDATE ZTHING SET Z_ENT = \(vase), Z_OPT = 5, ZMATERIAL = 'glass' WHERE Z_PK = 1", in: world)
    let things = try world.context.all(Thing.self)
    #expect(lamp.watts == 60 && lamp.weight == 2 && lamp.isDeleted)
    #expect(things.count == 2 && things.allSatisfy { $0 is Vase })
    #expect(Set(things.compactMap { ($0 as? Vase)?.material }) == ["clay", "glass"])
    #expect(try world.context.all(Thing.self).elementsEqual(things, by: ===))
    #expect(try world.context.all(Lamp.self).isEmpty)
  }

  @Test("A fetch in batches gives a deleted object for a row that now has another class")
  func batches() throws {
    let world = try World()
    world.context.insert(Lamp(weight: 2, watts: 60))
    try world.context.save()
    let context = world.fresh
    var descriptor = FetchDescriptor<Lamp>()
    descriptor.includePendingChanges = false
    let lamps = try context.fetch(descriptor, batchSize: 1)
    let vase = try number("Vase", in: world)
    try execute("UPDATE ZTHING SET Z_ENT = \(vase), Z_OPT = 5, ZMATERIAL = 'glass' WHERE Z_PK = 1", in: world)
    #expect(try context.all(Thing.self).first is Vase)
    #expect(lamps.count == 1 && lamps[0].isDeleted && lamps[0].watts == 0)
  }

  @Test("A partial fetch finds rows that changed their class as a whole fetch does, and skips the key 0")
  func partial() throws {
    let world = try World()
    let lamp = Lamp(weight: 2, watts: 60)
    world.context.insert(lamp)
    world.context.insert(Vase(weight: 3, material: "clay"))
    try world.context.save()
    let vase = try number("Vase", in: world)
    try execute("UPDATE ZTHING SET Z_ENT = \(vase), Z_OPT = 5, ZMATERIAL = 'glass' WHERE Z_PK = 1", in: world)
    try execute("INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT) VALUES (0, \(vase), 1)", in: world)
    var descriptor = FetchDescriptor<Thing>()
    descriptor.propertiesToFetch = [\.weight]
    let things = try world.context.fetch(descriptor)
    #expect(lamp.watts == 60 && lamp.isDeleted)
    #expect(things.count == 2 && things.allSatisfy { $0 is Vase && !$0.isDeleted })
    #expect(Set(things.compactMap { ($0 as? Vase)?.material }) == ["clay", "glass"])
  }

  @Test("A changed object whose row now has another class keeps its changes, and does not crash the save")
  func changedEntity() throws {
    let world = try World()
    let lamp = Lamp(weight: 2, watts: 60)
    world.context.insert(lamp)
    try world.context.save()
    lamp.watts = 75
    try execute("UPDATE ZTHING SET Z_ENT = \(try number("Vase", in: world)), Z_OPT = 5 WHERE Z_PK = 1", in: world)
    #expect(try world.context.all(Vase.self).isEmpty)
    #expect(lamp.watts == 75 && lamp.weight == 2)
    try? world.context.save()
    #expect(lamp.watts == 75)
  }

  @Test(
    "CD-5 A text or bytes in a number's column read as no value",
    arguments: ["'unknown'", "x'0102'", "''", "'12abc'", "x'3132'"])
  func notNumeric(_ value: String) throws {
    let world = try World()
    world.context.insert(Author("A", born: 1900))
    world.context.insert(Vase(weight: 3, material: "clay"))
    try world.context.save()
    try execute("UPDATE ZAUTHOR SET ZBORN = \(value)", in: world)
    let context = world.fresh
    let author = try #require(try context.all(Author.self).first)
    #expect(author.born == nil && author.name == "A")
    author.born = 0
    try context.save()
    #expect(try world.fresh.all(Author.self).map(\.born) == [0])
  }

  @Test("CD-2.2 A row with the key 0 is skipped, and references to it read as nil")
  func keyZero() throws {
    let world = try World()
    world.context.insert(Book("b", author: Author("A")))
    world.context.insert(Author("B"))
    try world.context.save()
    try execute("UPDATE ZAUTHOR SET Z_PK = 0 WHERE ZNAME = 'A'", in: world)
    try execute("UPDATE ZBOOK SET ZAUTHOR = 0", in: world)
    let context = world.fresh
    let book = try #require(try context.all(Book.self).first)
    #expect(try context.all(Author.self).map(\.name) == ["B"])
    #expect(try context.fetchCount(FetchDescriptor<Author>()) == 1)
    var first = FetchDescriptor<Author>()
    first.fetchLimit = 1
    #expect(try context.fetchCount(first) == context.fetch(first).count)
    #expect(try context.fetchIdentifiers(FetchDescriptor<Author>()).count == 1)
    #expect(book.author == nil)
    book.title = "c"
    try context.save()
    #expect(try world.fresh.all(Book.self).map(\.title) == ["c"])
  }
}

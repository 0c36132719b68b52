import CoreDataStore
import Foundation
import SQLite
import StoreRequests
import Testing

@testable import CoreDataStore
@testable import SwiftData

@Suite struct PredicateDanglingTests {
  @Test("CD-3.1 To a predicate a foreign key to a missing row, or to a wrong entity, is nil")
  func identities() throws {
    typealias Person = PredicateWorld.Person
    let store = try PredicateStore()
    func identifier(_ key: Int64, _ name: String) throws -> PersistentIdentifier {
      PersistentIdentifier(EntityReference(storeIdentifier: store.store.engine.identifier, name: name), key: key)
    }
    func numbers(_ predicate: Predicate<Person>) throws -> [Int] {
      try store.numbers(FetchPlan(FetchDescriptor(predicate: predicate), resolver: store.resolver)).sorted()
    }
    let nobody = try identifier(PredicateStore.missingKey, "Person"), some = [nobody, store.identifier(of: 3)]
    let stranger = try identifier(store.keys[5].key, "Employee")
    let bossless = store.people.filter { $0.boss == nil }.map(\.number)
    #expect(try numbers(#Predicate { $0.boss?.persistentModelID == nil }) == bossless)
    #expect(try numbers(#Predicate { $0.boss?.persistentModelID == nobody }).isEmpty)
    #expect(try numbers(#Predicate { $0.boss?.persistentModelID != nobody }).count == store.people.count)
    #expect(try numbers(#Predicate { $0.mentor?.persistentModelID == stranger }).isEmpty)
    #expect(
      try numbers(#Predicate { $0.boss.flatMap { some.contains($0.persistentModelID) } ?? false })
        == store.people.filter { $0.boss?.number == 3 }.map(\.number))
    #expect(
      try numbers(#Predicate { $0.clubs.contains { $0.members.contains { $0.persistentModelID == nobody } } }) == [])
  }

  @Test("CD-3.1 A fetch treats a relationship to a missing row as nil")
  func contexts() throws {
    let world = try World()
    for number in 0..<6 { world.context.insert(Book("\(number)", author: Author("A\(number % 3)"))) }
    world.context.insert(Book("none", author: nil))
    try world.context.save()
    try #require(world.container.core.stores[0].engine as? PersistentStore).write {
      try $0.execute("DELETE FROM ZAUTHOR WHERE ZNAME = 'A1'")
    }
    let orphans = FetchDescriptor<Book>(predicate: #Predicate { $0.author == nil }, sortBy: [SortDescriptor(\.title)])
    #expect(try world.fresh.fetch(orphans).map(\.title) == ["1", "4", "none"])
    #expect(try world.fresh.fetchCount(orphans) == 3)
    let context = world.fresh
    #expect(try context.fetch(FetchDescriptor<Book>()).count { $0.author != nil } == 4)
    #expect(try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.author != nil })) == 4)
    let sorted = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.author?.name), SortDescriptor(\.title)])
    #expect(try context.fetch(sorted).map(\.title).prefix(3) == ["1", "4", "none"])
  }

  @Test("CD-3.1 A to-one relationship to a missing row is nil, also next to one to a row of another class")
  func classes() throws {
    typealias Models = DeepHierarchy
    let world = try DeepHierarchyWorld()
    let buildings = [Models.House("H"), Models.Office("O"), Models.Villa("V")]
    for (index, building) in buildings.enumerated() {
      let report = Models.Report("report \(index)")
      world.context.insert(report)
      report.subject = building
    }
    try world.context.save()
    for building in buildings { world.context.delete(building) }
    try world.context.save()
    let descriptor = FetchDescriptor<Models.Report>(
      predicate: #Predicate { $0.name.starts(with: "report") }, sortBy: [SortDescriptor(\.name)])
    let reports = try world.fresh.fetch(descriptor)
    #expect(reports.count == 3)
    #expect(reports.filter { $0.subject != nil }.map(\.name) == [])
  }

  @Test func `Whether an owner has certain members is true or false, also if one of them has no owner`() throws {
    let world = try World()
    let authors = (0..<3).map { Author("A\($0)") }
    authors.forEach { world.context.insert($0) }
    let books = [Book("of the first", author: authors[0]), Book("nobody's", author: nil)]
    books.forEach { world.context.insert($0) }
    try world.context.save()
    let wanted = books.map(\.persistentModelID)
    let name = "A1"
    func names(_ predicate: Predicate<Author>) throws -> [String] {
      let expected = try authors.filter(predicate.evaluate).map(\.name)
      #expect(try world.fresh.fetchCount(FetchDescriptor(predicate: predicate)) == expected.count)
      let found = try world.fresh.fetch(FetchDescriptor(predicate: predicate)).map(\.name).sorted()
      #expect(found == expected)
      return found
    }
    let isOwner = #Predicate<Author> {
      ($0.name == name) != $0.books.contains { wanted.contains($0.persistentModelID) }
    }
    #expect(try names(isOwner) == ["A0", "A1"])
    let isNone = #Predicate<Author> {
      ($0.name == name) == $0.books.contains { wanted.contains($0.persistentModelID) }
    }
    #expect(try names(isNone) == ["A2"])
  }
}

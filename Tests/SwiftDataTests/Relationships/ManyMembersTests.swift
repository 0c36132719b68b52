import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("To-many relationships with many members")
struct ManyMembersTests {
  let world: World
  let author = Author("A")

  init() throws {
    world = try World()
    world.context.insert(author)
  }

  @Test("Members that leave and come by their own relationship keep the order of the others", arguments: 0..<20)
  func twin(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var books = (0..<150).map { Book("\($0)") }
    author.books = books
    if seed % 2 == 0 { try world.context.save() }
    // The storage has the members as loaded, or as changed in place.
    if seed % 3 == 0 { author.books.swapAt(0, 1) }
    var members = author.books
    var others: [Book] = []
    for _ in 0..<600 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5 where !members.isEmpty:
        let book = members.remove(at: .random(in: 0..<members.count, using: &random))
        book.author = nil
        others.append(book)
      case 5..<8 where !others.isEmpty:
        let book = others.remove(at: .random(in: 0..<others.count, using: &random))
        book.author = author
        members.append(book)
      case 8:
        let book = Book("new")
        books.append(book)
        author.books.append(book)
        members.append(book)
      case 9 where Bool.random(using: &random): #expect(author.books == members)
      default: break
      }
    }
    #expect(author.books == members)
    #expect(members.allSatisfy { $0.author === author } && others.allSatisfy { $0.author == nil })
    try world.context.save()
    #expect(author.books == members)
    let again = try #require(try world.fresh.first(Author.self, where: #Predicate { $0.name == "A" }))
    #expect(Set(again.books.map(\.persistentModelID)) == Set(members.map(\.persistentModelID)))
    try world.check()
  }

  @Test("A list takes members out together, and no later than half of it")
  func together() {
    final class Member {}
    let members = (0..<100).map { _ in Member() }
    var list = members
    var leaving = LeavingMembers()
    for (index, member) in members.reversed().enumerated() {
      guard !leaving.add(member, of: list.count) else { continue }
      // A pass for 50 of 100 members; then the list is short.
      #expect(index == 50)
      let gone = leaving.leave(&list)
      #expect(gone.count == 50)
      break
    }
    #expect(list.count == 50 && leaving.isEmpty && !leaving.add(members[0], of: list.count))
  }

  @Model final class Shelf {
    @Relationship(inverse: \Jar.shelf) var jars: [Jar] = []

    init() {}
  }

  @Model final class Jar {
    var number: Int
    var shelf: Shelf?
    @Transient var onRelease: (() -> Void)?

    init(_ number: Int) { self.number = number }

    deinit { onRelease?() }
  }

  /// How somebody reads a list after members have left it.
  enum Reading: CaseIterable { case getter, change, visit }

  @Test(
    "Members that only the list holds may read it when they are released", arguments: Reading.allCases, [1, 60])
  func readingDeinit(reading: Reading, deletions: Int) throws {
    for isInPlace in [true, false] { try releaseMembers(reading, deletions, isInPlace) }
  }

  private func releaseMembers(_ reading: Reading, _ deletions: Int, _ isInPlace: Bool) throws {
    let container = try ModelContainer(
      for: Shelf.self, Jar.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let shelf = Shelf()
    context.insert(shelf)
    var counts: [Int] = []
    var jars = (0..<100).map { Jar($0) }
    for jar in jars { jar.onRelease = { [weak shelf] in if let shelf { counts.append(shelf.jars.count) } } }
    shelf.jars = jars
    // The storage has the members as loaded, or as changed in place.
    if isInPlace { shelf.jars.swapAt(0, 1) }
    for _ in 0..<deletions { context.delete(jars.removeLast()) }
    switch reading {
    case .getter: break
    case .change: shelf.jars.swapAt(2, 3)
    case .visit:
      let property = try #require(context.core.container.binding(of: Shelf.self)?.index(of: "jars"))
      #expect(context.core.targets(of: shelf, at: property).count == 100 - deletions)
    }
    #expect(shelf.jars.count == 100 - deletions)
    #expect(counts.count == deletions && counts.allSatisfy { $0 < 100 })
    #expect(Set(shelf.jars.map(\.number)) == Set(0..<100 - deletions))
  }

  @Test("A list that a client keeps does not change when members leave")
  func copies() throws {
    author.books = (0..<100).map { Book("\($0)") }
    let before = author.books
    for book in before.reversed() { book.author = nil }
    #expect(before.count == 100 && author.books.isEmpty)
    world.context.rollback()
    #expect(before.allSatisfy { $0.modelContext == nil })
  }

  @Test("Deletions of an object that is inserted again and again apply its delete rules once")
  func deletedAgain() throws {
    let book = Book("B")
    book.chapters = [Chapter("1"), Chapter("2")]
    world.context.insert(book)
    try world.context.save()
    for _ in 0..<3 {
      world.context.delete(book)
      world.context.insert(book)
    }
    #expect(try world.context.fetchCount(FetchDescriptor<Chapter>()) == 2 && !world.context.hasChanges)
    world.context.delete(book)
    #expect(try world.context.fetchCount(FetchDescriptor<Chapter>()) == 0)
    try world.context.save()
    try world.check()
  }
}

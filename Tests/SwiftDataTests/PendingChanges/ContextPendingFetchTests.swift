import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Fetching while changes are pending", .everyEngine)
struct ContextPendingFetchTests {
  /// Twin test: a fetch with pending changes returns the same objects as brute force over all objects.
  @Test(
    "Limit, offset, order and predicate apply to the current values",
    arguments: 1...(FullTests.areWanted ? 12 : 5) as ClosedRange<UInt64>)
  func twin(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let world = try World()
    let authors = ["A", "B", "C"].map { Author($0) }
    authors.forEach { world.context.insert($0) }
    for number in 0..<40 {
      world.context.insert(
        Book("\(number % 10)", pages: .random(in: 0...9, using: &random), author: authors[number % 3]))
    }
    try world.context.save()
    let context = world.fresh
    var books = try context.all(Book.self)
    for _ in 0..<12 {
      let index = Int.random(in: books.indices, using: &random)
      switch Int.random(in: 0...3, using: &random) {
      case 0:
        let book = Book("\(Int.random(in: 0...9, using: &random))", pages: .random(in: 0...9, using: &random))
        context.insert(book)
        books.append(book)
      case 1: books[index].pages = .random(in: 0...9, using: &random)
      case 2: books[index].author?.name += "x"
      default: context.delete(books.remove(at: index))
      }
    }
    let predicates: [Predicate<Book>?] = [
      nil, #Predicate { $0.pages > 4 }, #Predicate { $0.author?.name == "A" }, #Predicate { $0.title == "3" },
      #Predicate { $0.author?.name == "Ax" }, #Predicate { $0.author?.name == "B" && $0.pages < 7 },
      #Predicate { $0.author?.name == "Bx" || $0.title == "5" }, #Predicate { !($0.author?.name == "A") },
    ]
    for predicate in predicates {
      for (limit, offset) in [(nil, nil), (5, nil), (5, 3), (nil, 7)] as [(Int?, Int?)] {
        var descriptor = FetchDescriptor<Book>(
          predicate: predicate, sortBy: [SortDescriptor(\.pages), SortDescriptor(\.title, order: .reverse)])
        descriptor.fetchLimit = limit
        descriptor.fetchOffset = offset
        let wanted = try books.filter { try predicate?.evaluate($0) ?? true }
        let fetched = try context.fetch(descriptor)
        let expected = bruteForce(wanted, limit, offset)
        #expect(fetched.map { "\($0.pages) \($0.title)" } == expected)
        #expect(Set(fetched.map(ObjectIdentifier.init)).isSubset(of: wanted.map(ObjectIdentifier.init)))
        #expect(try context.fetchCount(descriptor) == expected.count)
        #expect(try Set(context.fetch(FetchDescriptor(predicate: predicate))) == Set(wanted))
      }
    }
    try context.save()
    try world.check()
  }

  @Test func `A predicate finds the objects that lead to an object without a row, by its identifier`() throws {
    let world = try World()
    let (old, other) = (Book("old", author: Author("A")), Book("other", author: nil))
    for book in [old, other] { world.context.insert(book) }
    try world.context.save()
    let new = Author("new")
    world.context.insert(new)
    old.author = new
    let identifier = new.persistentModelID
    let identifiers = [identifier]
    func titles(_ predicate: Predicate<Book>) throws -> [String] {
      let descriptor = FetchDescriptor(predicate: predicate)
      let found = try world.context.fetch(descriptor).map(\.title).sorted()
      #expect(try world.context.fetchCount(descriptor) == found.count)
      return found
    }
    #expect(try titles(#Predicate { $0.author?.persistentModelID == identifier }) == ["old"])
    #expect(try titles(#Predicate { $0.author?.persistentModelID != identifier }) == ["other"])
    #expect(
      try titles(#Predicate { $0.author.flatMap { identifiers.contains($0.persistentModelID) } ?? false }) == ["old"])
    let added = Book("added", author: new)
    world.context.insert(added)
    let wanted = added.persistentModelID
    let authors = FetchDescriptor<Author>(
      predicate: #Predicate { $0.books.contains { $0.persistentModelID == wanted } })
    #expect(try world.context.fetch(authors).map(\.name) == ["new"])
    try world.context.save()
    try world.check()
  }

  /// Sorted by pages, then by descending title, with limit and offset.
  private func bruteForce(_ books: [Book], _ limit: Int?, _ offset: Int?) -> [String] {
    let sorted = books.sorted { left, right in
      left.pages != right.pages ? left.pages < right.pages : left.title > right.title
    }
    return sorted.dropFirst(offset ?? 0).prefix(limit ?? Int.max).map { "\($0.pages) \($0.title)" }
  }

  @Test("A fetch can ignore pending changes; sorted identifiers are refused with them")
  func options() throws {
    let world = try World()
    world.context.insert(Book("saved"))
    try world.context.save()
    world.context.insert(Book("new"))
    var descriptor = FetchDescriptor<Book>()
    #expect(try world.context.fetchCount(descriptor) == 2)
    #expect(try world.context.fetchIdentifiers(descriptor).count == 2)
    descriptor.includePendingChanges = false
    #expect(try world.context.fetch(descriptor).map(\.title) == ["saved"])
    #expect(throws: SwiftDataError.sortingPendingChangesWithIdentifiers) {
      try world.context.fetchIdentifiers(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    }
  }

  @Test("A fetch through a path asks no second query for a changed object that has another value")
  func pathWithChange() throws {
    guard TestEngine.current == .file else { return }
    let world = try World()
    for number in 0..<20 { world.context.insert(Book("\(number)", author: Author("\(number % 4)"))) }
    try world.context.save()
    let context = world.fresh
    let author = try #require(try context.first(Author.self, where: #Predicate { $0.name == "3" }))
    author.name = "new"
    let statements = try ContainerStatements(world.container)
    for (name, count, queryCount) in [("2", 5, 1), ("3", 0, 1), ("new", 5, 2), ("none", 0, 1)] {
      let descriptor = FetchDescriptor<Book>(predicate: #Predicate { $0.author?.name == name })
      var titles: [String] = []
      let queries = try statements.queries { titles = try context.fetch(descriptor).map(\.title) }
      #expect(
        titles.count == count && queries.filter { $0.contains("ZBOOK") }.count == queryCount,
        "\(name): \(titles) \(queries)")
      #expect(try context.fetchCount(descriptor) == count)
    }
  }

  @Test("Enumerating visits all objects in batches and keeps none")
  func enumerate() throws {
    let world = try World()
    for number in 0..<250 { world.context.insert(Book("\(number)", pages: number)) }
    try world.context.save()
    let context = world.fresh
    var sum = 0
    try context.enumerate(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]), batchSize: 100) { book in
      #expect(book.pages == sum)
      sum += 1
      book.pages += 1
    }
    #expect(sum == 250 && !context.hasChanges)
    #expect(try world.fresh.first(Book.self, where: #Predicate { $0.pages == 250 }) != nil)
    context.insert(Book("x"))
    #expect(throws: SwiftDataError.contextIsBusy) { try context.enumerate(FetchDescriptor<Book>()) { _ in } }
    try context.delete(model: Book.self, where: #Predicate { $0.pages < 200 })
    try context.save()
    #expect(try world.fresh.fetchCount(FetchDescriptor<Book>()) == 51)
    try world.check()
  }
}

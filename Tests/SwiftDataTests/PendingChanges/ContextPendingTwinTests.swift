import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Twin tests: with pending changes of several classes, a context fetches, counts and enumerates the objects that
/// evaluating the predicate for all its objects selects.
@Suite("Pending changes of several classes, against brute force", .everyEngine)
struct ContextPendingTwinTests {
  private static let predicates: [(String, Predicate<Book>?)] = [
    ("all", nil),
    ("value", #Predicate { $0.pages > 4 }),
    ("equality", #Predicate { $0.title == "3" }),
    ("to-one path", #Predicate { $0.author?.name == "A" }),
    ("to-one path and value", #Predicate { $0.author?.name == "A" && $0.pages < 7 }),
    ("to-one paths", #Predicate { $0.author?.name == "B" && $0.cover?.colour == "red" }),
    ("to-one path to nothing", #Predicate { $0.author?.born == nil }),
    ("to-one", #Predicate { $0.author == nil }),
    ("path and value", #Predicate { $0.pages < 7 && $0.author?.name != "B" }),
    ("path or value", #Predicate { $0.pages == 2 || $0.cover?.colour == "red" }),
    ("members", #Predicate { $0.chapters.contains { $0.heading == "I" } }),
    ("members of many to many", #Predicate { $0.tags.contains { $0.word == "x" } }),
    ("members by a path", #Predicate { $0.chapters.contains { $0.book?.pages == 3 } }),
    ("number of members", #Predicate { $0.tags.count > 1 }),
    ("members of members", #Predicate { $0.tags.contains { $0.books.contains { $0.pages == 9 } } }),
    ("members of a path", #Predicate { $0.author?.books.contains { $0.pages == 0 } == true }),
  ]

  private static let orders: [(String, [SortDescriptor<Book>])] = [
    ("none", []),
    ("values", [SortDescriptor(\.pages), SortDescriptor(\.title, order: .reverse)]),
    ("path", [SortDescriptor(\.author?.name), SortDescriptor(\.pages, order: .reverse)]),
    ("in memory", [SortDescriptor(\.title.count), SortDescriptor(\.pages)]),
  ]

  @Test("Fetches, counts, identifiers and batches", arguments: 1...(FullTests.areWanted ? 5 : 3) as ClosedRange<UInt64>)
  func twin(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let world = try World()
    try fill(world.context, &random)
    let context = world.fresh
    // Registers some of the objects.
    var known = try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.pages % 2 == 0 }))
    for _ in 0..<4 {
      try change(context, &random)
      let books = try everything(context)
      for (name, predicate) in Self.predicates {
        let wanted = try books.filter { try predicate?.evaluate($0) ?? true }
        for (order, sort) in [Self.orders.randomElement(using: &random) ?? ("none", [])] {
          var descriptor = FetchDescriptor<Book>(predicate: predicate, sortBy: sort)
          if Bool.random(using: &random) { descriptor.fetchLimit = .random(in: 0...12, using: &random) }
          if Bool.random(using: &random) { descriptor.fetchOffset = .random(in: 0...12, using: &random) }
          let comment: Comment =
            "\(name), order \(order), \(descriptor.fetchLimit ?? -1) after \(descriptor.fetchOffset ?? 0)"
          let expected = cut(wanted.sorted { isBefore($0, $1, sort) }, descriptor)
          let fetched = try context.fetch(descriptor)
          #expect(fetched.map(text) == expected.map(text), comment)
          #expect(fetched.map(ObjectIdentifier.init) == expected.map(ObjectIdentifier.init), comment)
          #expect(try context.fetchCount(descriptor) == expected.count, comment)
          var batches: [Book] = []
          try context.enumerate(descriptor, batchSize: 5, allowEscapingMutations: true) { batches.append($0) }
          #expect(batches.map(ObjectIdentifier.init) == expected.map(ObjectIdentifier.init), comment)
        }
        let identifiers = try context.fetchIdentifiers(FetchDescriptor(predicate: predicate))
        #expect(Set(identifiers) == Set(wanted.map(\.persistentModelID)), "\(name)")
      }
      known = books
    }
    withExtendedLifetime(known) {}
  }

  private func fill(_ context: ModelContext, _ random: inout SplitMix) throws {
    let authors = ["A", "B", "C"].map { Author($0) }
    let tags = ["x", "y", "z"].map { Tag($0) }
    for author in authors { context.insert(author) }
    for number in 0..<40 {
      let book = Book("\(number % 10)", pages: .random(in: 0...9, using: &random))
      context.insert(book)
      if number % 5 != 0 { book.author = authors[number % 3] }
      if number % 3 == 0 { book.cover = Cover(number % 2 == 0 ? "red" : "blue") }
      book.tags = tags.filter { _ in Bool.random(using: &random) }
      book.chapters = (0..<Int.random(in: 0...2, using: &random)).map { Chapter($0 == 0 ? "I" : "II") }
    }
    try context.save()
  }

  /// Makes changes of several classes and leaves them pending.
  private func change(_ context: ModelContext, _ random: inout SplitMix) throws {
    let books = try everything(context)
    let authors = try context.all(Author.self).sorted { $0.name < $1.name }
    let tags = try context.all(Tag.self).sorted { $0.word < $1.word }
    for _ in 0..<3 {
      guard let book = books.filter({ !$0.isDeleted }).randomElement(using: &random) else { return }
      switch Int.random(in: 0...10, using: &random) {
      case 0:
        let new = Book("\(Int.random(in: 0...9, using: &random))", pages: .random(in: 0...9, using: &random))
        context.insert(new)
        new.author = authors.randomElement(using: &random)
        new.tags = tags.filter { _ in Bool.random(using: &random) }
      case 1: book.pages = .random(in: 0...9, using: &random)
      case 2: book.author?.name = ["A", "B", "C", "D"].randomElement(using: &random) ?? "A"
      case 3: book.author?.born = .random(in: 0...1, using: &random)
      case 4: book.author = authors.randomElement(using: &random)
      case 5: tags.randomElement(using: &random)?.word = ["x", "y"].randomElement(using: &random) ?? "x"
      case 6: book.tags.append(Tag("x"))
      case 7: book.chapters.first?.heading = "I"
      case 8: book.cover = Cover("red")
      case 9: if let author = book.author, authors.count > 1 { context.delete(author) }
      default: context.delete(book)
      }
    }
    context.processPendingChanges()
  }

  /// All books that are not deleted, by key; new books last, in the order of insertion.
  private func everything(_ context: ModelContext) throws -> [Book] {
    context.processPendingChanges()
    var descriptor = FetchDescriptor<Book>()
    descriptor.includePendingChanges = false
    let new = context.insertedModelsArray.compactMap { $0 as? Book }
    return try context.fetch(descriptor).filter { !$0.isDeleted } + new
  }

  private func isBefore(_ left: Book, _ right: Book, _ sort: [SortDescriptor<Book>]) -> Bool {
    for descriptor in sort {
      let order = descriptor.compare(left, right)
      if order != .orderedSame { return order == .orderedAscending }
    }
    let keys = (left._$state.key, right._$state.key)
    return keys.0 != 0 && (keys.1 == 0 || keys.0 < keys.1)
  }

  private func cut(_ books: [Book], _ descriptor: FetchDescriptor<Book>) -> [Book] {
    Array(books.dropFirst(descriptor.fetchOffset ?? 0).prefix(descriptor.fetchLimit ?? .max))
  }

  private func text(_ book: Book) -> String {
    "\(book.title) \(book.pages) \(book.author?.name ?? "-") \(book._$state.key)"
  }

  @Test("Many pending objects are searched by value, however they got the value")
  func values() throws {
    let world = try World()
    for number in 0..<30 { world.context.insert(Author("Saved \(number)")) }
    try world.context.save()
    let context = world.fresh
    func names(_ name: String) throws -> [String] {
      try context.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == name })).map(\.name)
    }
    let saved = try context.all(Author.self)
    for author in saved { author.born = 1 }
    let new = (0..<30).map { Author("New \($0)") }
    for author in new { context.insert(author) }
    #expect(try names("New 7") == ["New 7"])
    new[7].name = "Other"
    #expect(try names("New 7").isEmpty)
    #expect(try names("Other") == ["Other"])
    new[7].name = "Caf\u{E9}"
    #expect(try names("Other").isEmpty)
    #expect(try names("Cafe\u{301}").count == 1)
    #expect(try names("Saved 3") == ["Saved 3"])
    saved[3].name = "Renamed"
    #expect(try names("Saved 3").isEmpty)
    #expect(try names("Renamed") == ["Renamed"])
    context.delete(new[8])
    #expect(try names("New 8").isEmpty)
    context.insert(new[8])
    #expect(try names("New 8") == ["New 8"])
    context.delete(saved[4])
    #expect(try names("Saved 4").isEmpty)
    context.insert(Author("Late"))
    #expect(try names("Late") == ["Late"])
    context.rollback()
    #expect(try names("Late").isEmpty)
    #expect(try names("Saved 3") == ["Saved 3"])
    #expect(try names("Saved 4") == ["Saved 4"])
  }

  @Test("Pending objects of other classes cause no loading")
  func untouched() throws {
    guard TestEngine.current == .file else { return }
    let world = try World()
    for number in 0..<20 { world.context.insert(Book("\(number)", author: Author("Author \(number)"))) }
    try world.context.save()
    let context = world.fresh
    context.insert(Tag("new"))
    let author = try #require(try context.first(Author.self, where: #Predicate { $0.name == "Author 3" }))
    author.name = "Renamed"
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 20)
    #expect(try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.title != "x" })) == 20)
    #expect(context.core.identityMap.count == 1)
    #expect(try context.all(Book.self, where: #Predicate { $0.author?.name == "Author 5" }).map(\.title) == ["5"])
    // At most the matching book, the book of the renamed author, and the two authors.
    #expect(context.core.identityMap.count <= 4)
    author.born = 1
    #expect(try context.all(Book.self, where: #Predicate { $0.author?.name == "Renamed" }).map(\.title) == ["3"])
    #expect(try context.all(Book.self, where: #Predicate { $0.author?.name == "Author 3" }).isEmpty)
    #expect(context.core.identityMap.count <= 4)
    let known = context.core.identityMap.count
    var titles: [String] = []
    func enumerate(_ predicate: Predicate<Book>) throws {
      try context.enumerate(FetchDescriptor(predicate: predicate), allowEscapingMutations: true) {
        titles.append($0.title)
      }
    }
    try enumerate(#Predicate { $0.title == "7" })
    #expect(titles == ["7"] && context.core.identityMap.count == known + 1)
    // At most the matching book and its author.
    try enumerate(#Predicate { $0.author?.name == "Author 9" })
    #expect(titles == ["7", "9"] && context.core.identityMap.count <= known + 3)
  }

  @Test("Changes made while enumerating are saved, and neither add nor remove objects")
  func enumerate() throws {
    let world = try World()
    for number in 0..<50 { world.context.insert(Book("\(number)", pages: number)) }
    try world.context.save()
    let context = world.fresh
    var seen: [String] = []
    try context.enumerate(
      FetchDescriptor<Book>(predicate: #Predicate { $0.pages < 40 }, sortBy: [SortDescriptor(\.pages)]), batchSize: 7
    ) { book in
      seen.append(book.title)
      book.pages += 100
      context.insert(Book("New", pages: 0))
    }
    #expect(seen == (0..<40).map { "\($0)" })
    #expect(try world.fresh.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.pages >= 100 })) == 40)
    #expect(try world.fresh.fetchCount(FetchDescriptor<Book>()) == 90)
    try world.check()
  }
}

extension ModelContext {
  fileprivate func all<Model: PersistentModel>(_ type: Model.Type, where predicate: Predicate<Model>) throws -> [Model]
  {
    try fetch(FetchDescriptor(predicate: predicate))
  }
}

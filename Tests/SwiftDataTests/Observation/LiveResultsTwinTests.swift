import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Twin tests: whatever changes, live results equal a fresh fetch, and their differences lead from one state to the next.
@Suite("Live results, against fresh fetches", .everyEngine)
struct LiveResultsTwinTests {
  private static let predicates: [(String, Predicate<Book>?)] = [
    ("all", nil),
    ("value", #Predicate { $0.pages > 4 }),
    ("equality", #Predicate { $0.title == "3" }),
    ("in memory", #Predicate { $0.title.count == 1 && $0.pages != 2 }),
    ("to-one path", #Predicate { $0.author?.born == 1 }),
    ("to-one", #Predicate { $0.author == nil }),
    ("path or value", #Predicate { $0.pages == 2 || $0.cover?.colour == "red" }),
    ("members", #Predicate { $0.chapters.contains { $0.heading == "I" } }),
    ("number of members", #Predicate { $0.tags.count > 1 }),
    ("members of a path", #Predicate { $0.author?.books.contains { $0.pages == 0 } == true }),
  ]

  private static let orders: [(String, [SortDescriptor<Book>])] = [
    ("none", []),
    ("values", [SortDescriptor(\.pages), SortDescriptor(\.title, order: .reverse)]),
    ("path", [SortDescriptor(\.author?.name), SortDescriptor(\.pages, order: .reverse)]),
    ("in memory", [SortDescriptor(\.title.count), SortDescriptor(\.pages)]),
  ]

  @Test("Results, sections and differences", arguments: 1...(FullTests.areWanted ? 40 : 4) as ClosedRange<UInt64>)
  func twin(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let world = try World()
    try fill(world.context, &random)
    let context = world.fresh
    let other = world.fresh
    var checks: [(String) throws -> Void] = []
    for (place, (name, predicate)) in Self.predicates.enumerated() {
      let (order, sort) = Self.orders[(place + Int(seed)) % Self.orders.count]
      var descriptor = FetchDescriptor(predicate: predicate, sortBy: sort)
      if seed == 2 { descriptor.fetchLimit = .random(in: 0...12, using: &random) }
      if seed == 3 { descriptor.fetchOffset = .random(in: 0...12, using: &random) }
      if seed == 4 { descriptor.includePendingChanges = false }
      let plain = try ResultsObserver(fetchDescriptor: descriptor, modelContext: context)
      checks.append(LiveTwin("\(name), order \(order)", plain).check)
      descriptor.sortBy = [SortDescriptor(\.pages, order: .reverse)]
      switch (place + Int(seed)) / 2 % 4 {
      case 0:
        let observer = try ResultsObserver(fetchDescriptor: descriptor, sectionBy: \.title, modelContext: context)
        checks.append(LiveTwin("\(name), by title", observer, \.title).check)
      case 1:
        let observer = try ResultsObserver(
          fetchDescriptor: descriptor, sectionBy: \.author?.name, modelContext: context)
        checks.append(LiveTwin("\(name), by author's name", observer) { $0.author?.name ?? "" }.check)
      case 2:
        let observer = try ResultsObserver(fetchDescriptor: descriptor, sectionBy: \.pages, modelContext: context)
        checks.append(LiveTwin("\(name), by pages", observer, \.pages).check)
      default:
        let observer = try ResultsObserver(fetchDescriptor: descriptor, sectionBy: \.author, modelContext: context)
        checks.append(LiveTwin("\(name), by author", observer, \.author).check)
      }
    }
    var held: [Book] = []
    for number in 0..<(FullTests.areWanted ? 12 : 8) {
      let step = try step(context, other, &random)
      if number == 5 { held = try context.all(Book.self) }
      for check in checks { try check("step \(number), \(step)") }
    }
    withExtendedLifetime(held) {}
  }

  /// Makes some changes in a context or in the other one; returns a word for them.
  private func step(_ context: ModelContext, _ other: ModelContext, _ random: inout SplitMix) throws -> String {
    switch Int.random(in: 0...9, using: &random) {
    case 0:
      context.rollback()
      return "a rollback"
    case 1, 2:
      try context.save()
      return "a save"
    case 3:
      let (pages, heading) = (Int.random(in: 0...9, using: &random), Bool.random(using: &random) ? "I" : "II")
      let writer = Bool.random(using: &random) ? context : other
      switch Int.random(in: 0...2, using: &random) {
      case 0: try writer.delete(model: Book.self, where: #Predicate { $0.pages == pages && $0.title == "3" })
      case 1: try writer.delete(model: Chapter.self, where: #Predicate { $0.heading == heading })
      default: try writer.delete(model: Cover.self, where: #Predicate { $0.colour == "red" })
      }
      if writer === other { try other.save() }
      return "a deletion by a predicate"
    case 4, 5:
      try change(other, &random)
      try other.save()
      return "another context's save"
    default:
      try change(context, &random)
      return "changes"
    }
  }

  private func fill(_ context: ModelContext, _ random: inout SplitMix) throws {
    let authors = ["A", "B", "C"].map { Author($0, born: Int.random(in: 0...1, using: &random)) }
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

  private func change(_ context: ModelContext, _ random: inout SplitMix) throws {
    let books = try context.all(Book.self).sorted { $0._$state.key < $1._$state.key }
    let authors = try context.all(Author.self).sorted { $0.name < $1.name }
    let tags = try context.all(Tag.self).sorted { $0._$state.key < $1._$state.key }
    for _ in 0..<3 {
      guard let book = books.filter({ !$0.isDeleted }).randomElement(using: &random) else { return }
      switch Int.random(in: 0...10, using: &random) {
      case 0:
        let new = Book("\(Int.random(in: 0...12, using: &random))", pages: .random(in: 0...9, using: &random))
        context.insert(new)
        new.author = authors.filter { !$0.isDeleted }.randomElement(using: &random)
        new.tags = tags.filter { _ in Bool.random(using: &random) }
      case 1: book.pages = .random(in: 0...9, using: &random)
      case 2:
        // An empty name has the title of a missing author.
        let letter = ["A", "B", "C", "D", ""].randomElement(using: &random) ?? ""
        book.author?.name = letter.isEmpty ? "" : "\(letter) \(random.next())"
      case 3: book.author?.born = .random(in: 0...1, using: &random)
      case 4: book.author = authors.filter { !$0.isDeleted }.randomElement(using: &random)
      case 5: tags.randomElement(using: &random)?.word = ["x", "y"].randomElement(using: &random) ?? "x"
      case 6: book.tags.append(Tag("x"))
      case 7: book.chapters.first?.heading = "I"
      case 8: book.cover = Cover("red")
      case 9: if let author = book.author, authors.count > 1 { context.delete(author) }
      default: context.delete(book)
      }
    }
  }
}

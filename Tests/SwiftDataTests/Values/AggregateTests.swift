import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Models with attributes of every kind that values are computed of.
enum AggregateModels {
  enum Genre: String, Codable, CaseIterable, Comparable {
    case novel, poetry, travel
    static func < (left: Genre, right: Genre) -> Bool { left.rawValue < right.rawValue }
  }

  struct Size: Codable, Hashable {
    var width = 1
    var height = 2
  }

  @Model final class Writer {
    var name: String
    @Relationship(inverse: \Work.writer) var works: [Work] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Work {
    var title: String
    var pages: Int
    var small: Int8 = 0
    var rating: Double?
    var price: Decimal
    var written: Date?
    var genre: Genre
    var size = Size()
    var writer: Writer?
    init(_ title: String, pages: Int, price: Decimal, genre: Genre) {
      self.title = title
      self.pages = pages
      self.price = price
      self.genre = genre
    }
  }

  @Model final class Ticket {
    var code: UUID
    var event: Int
    init(_ code: UUID, event: Int) {
      self.code = code
      self.event = event
    }
  }

  static let types: [any PersistentModel.Type] = [Writer.self, Work.self, Ticket.self]
}

@Suite("Aggregates, groups and values", .everyEngine)
struct AggregateTests {
  typealias Work = AggregateModels.Work
  typealias Writer = AggregateModels.Writer
  typealias Genre = AggregateModels.Genre

  let store: TemporaryStore
  let container: ModelContainer
  var context: ModelContext { ModelContext(container) }

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Schema(AggregateModels.types), store)
    let context = ModelContext(container)
    let writers = ["Vazov", "Verne", "verne"].map { Writer($0) }
    for number in 0..<30 { context.insert(Self.work(number, writers[number % 3])) }
    try context.save()
  }

  private static func work(_ number: Int, _ writer: Writer?) -> Work {
    let work = Work(
      "work \(number % 7)", pages: number * 10, price: Decimal(number) / 10, genre: Genre.allCases[number % 2])
    work.rating = number % 4 == 0 ? nil : Double(number) / 2
    work.written = number % 3 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number))
    work.small = Int8(number % 10)
    work.writer = number % 5 == 0 ? nil : writer
    work.size.width = number % 4
    return work
  }

  @Test("Values of all objects, of some, and of none")
  func values() throws {
    let context = context
    #expect(try context.sum(of: \Work.pages) == 4350)
    #expect(try context.sum(of: \Work.price) == Decimal(string: "43.5"))
    #expect(try context.average(of: \Work.pages, where: #Predicate { $0.pages < 30 }) == 10)
    #expect(try context.average(of: \Work.price) == Decimal(string: "1.45"))
    #expect(
      try context.minimum(of: \Work.title) == "work 0" && context.maximum(of: \Work.price) == Decimal(string: "2.9"))
    #expect(try context.count(distinct: \Work.title) == 7 && context.count(distinct: \Work.writer?.name) == 3)
    #expect(try context.count(distinct: \Work.genre) == 2 && context.count(distinct: \Work.price) == 30)
    #expect(try context.maximum(of: \Work.genre) == .poetry)
    let (count, rating, first, last) = try context.aggregate(
      Work.self, where: #Predicate { $0.pages >= 100 }, .count, .average(\.rating), .minimum(\.written),
      .maximum(\.written))
    #expect(
      count == 20 && last == Date(timeIntervalSinceReferenceDate: 29)
        && first == Date(timeIntervalSinceReferenceDate: 10))
    let ratings = (10..<30).filter { $0 % 4 != 0 }.map { Double($0) / 2 }
    #expect(abs((rating ?? 0) - ratings.reduce(0, +) / Double(ratings.count)) < 1e-9)
    let none = #Predicate<Work> { $0.pages < 0 }
    #expect(try context.sum(of: \Work.pages, where: none) == 0 && context.average(of: \Work.pages, where: none) == nil)
    #expect(
      try context.minimum(of: \Work.title, where: none) == nil && context.count(distinct: \Work.title, where: none) == 0
    )
    if TestEngine.current == .file { #expect(context.core.identityMap.count == 0) }
  }

  @Test("Values of optional properties leave out nil")
  func optionals() throws {
    let context = context
    let ratings = (0..<30).filter { $0 % 4 != 0 }.map { Double($0) / 2 }
    #expect(try abs(context.sum(of: \Work.rating) - ratings.reduce(0, +)) < 1e-9)
    let average = try #require(try context.average(of: \Work.rating))
    #expect(abs(average - ratings.reduce(0, +) / Double(ratings.count)) < 1e-9)
    #expect(try context.minimum(of: \Work.rating) == 0.5 && context.maximum(of: \Work.rating) == 14.5)
    #expect(try context.maximum(of: \Work.written) == Date(timeIntervalSinceReferenceDate: 29))
    #expect(try context.minimum(of: \Work.writer?.name) == "Vazov")
    #expect(try context.sum(of: \Work.writer?.works.count) == 192)
    let none = #Predicate<Work> { $0.pages < 0 }
    #expect(
      try context.sum(of: \Work.rating, where: none) == 0 && context.average(of: \Work.rating, where: none) == nil)
  }

  @Test("A sum beyond the type is an error")
  func overflow() throws {
    #expect(throws: SwiftDataError.storeFailure) { try context.sum(of: \Work.small) }
    let writing = context
    for pages in [Int.max, Int.max] { writing.insert(Work("x", pages: pages, price: 0, genre: .novel)) }
    #expect(throws: SwiftDataError.storeFailure) { try writing.sum(of: \Work.pages) }
    try writing.save()
    #expect(throws: SwiftDataError.storeFailure) { try context.sum(of: \Work.pages) }
    let expensive = context
    for _ in 0..<2 {
      expensive.insert(Work("x", pages: 1, price: .greatestFiniteMagnitude, genre: .novel))
    }
    #expect(throws: SwiftDataError.storeFailure) { try expensive.sum(of: \Work.price) }
  }

  @Test("The error of a sum beyond 64 bits names the property, over every engine")
  func overflowOfTheStore() throws {
    let writing = context
    for pages in [Int.max, 1] { writing.insert(Work("x", pages: pages, price: 0, genre: .novel)) }
    try writing.save()
    let computations: [(ModelContext) throws -> Void] = [
      { _ = try $0.sum(of: \Work.pages) }, { _ = try $0.aggregate(Work.self, .count, .sum(\.pages)) },
      { _ = try $0.aggregate(Work.self, by: \.genre, .count, .sum(\.pages)) },
    ]
    for compute in computations {
      let error = #expect(throws: SwiftDataError.storeFailure) { try compute(context) }
      #expect(error.map { "\($0)" }?.contains("The sum of Work.pages is beyond the numbers that Int can hold") == true)
    }
  }

  @Test("Groups by attributes, enumerations, relationship paths and objects")
  func groups() throws {
    let context = context
    let byGenre = try context.aggregate(Work.self, by: \.genre, .count, .sum(\.pages))
    #expect(byGenre.mapValues(\.0) == [.novel: 15, .poetry: 15] && byGenre[.novel]?.1 == 2100)
    #expect(
      try context.aggregate(Work.self, by: \.writer?.name, .count) == [nil: 6, "Vazov": 8, "Verne": 8, "verne": 8])
    #expect(try context.aggregate(Work.self, by: \.size, .count).count == 4)
    let cheap = #Predicate<Work> { $0.pages < 40 }
    let byPrice = try context.aggregate(Work.self, where: cheap, by: \.price, .maximum(\.pages))
    #expect(byPrice.count == 4)
    for (price, pages) in byPrice { #expect(price * 100 == Decimal(pages ?? -1)) }
    let byWriter = try context.aggregate(Work.self, by: \.writer, .count)
    #expect(byWriter.count == 4 && byWriter.values.reduce(0, +) == 30)
  }

  @Test("Unsaved changes count: new, changed and deleted objects, and changes along a path", arguments: 0..<8)
  func pending(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let context = context
    let works = try context.fetch(FetchDescriptor<Work>(sortBy: [SortDescriptor(\.pages)]))
    for work in works {
      switch random.below(6) {
      case 0: context.delete(work)
      case 1: work.pages += 1000
      case 2: work.price = 7
      case 3: work.rating = nil
      default: break
      }
    }
    for number in 0..<random.below(5) { context.insert(Self.work(100 + number, nil)) }
    if random.below(2) == 0 { try context.fetch(FetchDescriptor<Writer>()).first?.name = "Botev" }
    let limit = random.below(1400)
    let live = try context.fetch(FetchDescriptor<Work>()).filter { $0.pages < limit || $0.writer?.name == "Botev" }
    let predicate = #Predicate<Work> { $0.pages < limit || $0.writer?.name == "Botev" }
    let (count, sum, price, rating, least, titles) = try context.aggregate(
      Work.self, where: predicate, .count, .sum(\.pages), .sum(\.price), .average(\.rating), .minimum(\.title),
      .count(distinct: \.title))
    let pages = live.map(\.pages).reduce(0, +)
    let prices = live.map(\.price).reduce(Decimal(0), +)
    #expect(count == live.count)
    #expect(sum == pages)
    #expect(price == prices)
    #expect(least == live.map(\.title).min() && titles == Set(live.map(\.title)).count)
    let ratings = live.compactMap(\.rating)
    #expect(rating == nil ? ratings.isEmpty : abs((rating ?? 0) - ratings.reduce(0, +) / Double(ratings.count)) < 1e-9)
    let groups = try context.aggregate(
      Work.self, where: predicate, by: \.writer?.name, .count, .maximum(\.pages), .sum(\.rating))
    let expected = Dictionary(grouping: live, by: \.writer?.name)
    #expect(Set(groups.keys) == Set(expected.keys))
    for (name, works) in expected {
      #expect(groups[name]?.0 == works.count && groups[name]?.1 == works.map(\.pages).max())
      #expect(abs((groups[name]?.2 ?? 0) - works.compactMap(\.rating).reduce(0, +)) < 1e-9)
    }
    let distinct = try context.aggregate(Work.self, where: predicate, by: \.genre, .count(distinct: \.title))
    #expect(distinct == Dictionary(grouping: live, by: \.genre).mapValues { Set($0.map(\.title)).count })
    try context.save()
    let saved = try self.context.aggregate(Work.self, where: predicate, .count, .sum(\.pages), .sum(\.price))
    #expect(saved == (count, sum, price))
  }

  @Test("Values of objects as tuples, in order, with limits, with and without unsaved changes")
  func tuples() throws {
    let context = context
    var descriptor = FetchDescriptor<Work>(
      predicate: #Predicate { $0.pages > 50 }, sortBy: [SortDescriptor(\.pages, order: .reverse)])
    descriptor.fetchLimit = 4
    descriptor.fetchOffset = 1
    func check() throws {
      let values = try context.fetchValues(descriptor, \.pages, \.title, \.rating, \.genre, \.writer?.name, \.price)
      let objects = try context.fetch(descriptor)
      #expect(values.count == 4)
      for (value, object) in zip(values, objects) {
        #expect(value.0 == object.pages && value.1 == object.title && value.2 == object.rating)
        #expect(value.3 == object.genre && value.4 == object.writer?.name && value.5 == object.price)
      }
    }
    if TestEngine.current == .file {
      #expect(try context.fetchValues(descriptor, \.pages) == [280, 270, 260, 250])
      #expect(context.core.identityMap.count == 0)
    }
    try check()
    #expect(try context.fetchValues(descriptor, \.size).count == 4)
    context.insert(Work("new", pages: 285, price: 1, genre: .travel))
    try check()
    #expect(try context.fetchValues(descriptor, \.pages).first == 285)
  }

  @Test("The least and the greatest UUID are those of Swift's order, also in groups")
  func identifiers() throws {
    typealias Ticket = AggregateModels.Ticket
    let writing = context
    let codes = [
      "00000000-0000-0000-0000-000000000001", "7FFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
      "80000000-0000-0000-0000-000000000000", "A0000000-0000-0000-0000-000000000000",
      "FFFFFFFF-0000-0000-0000-000000000000",
    ].compactMap { UUID(uuidString: $0) }
    for (index, code) in codes.enumerated() { writing.insert(Ticket(code, event: index % 2)) }
    try writing.save()
    for hasChanges in [false, true] {
      let context = context
      if hasChanges { context.insert(Ticket(codes[2], event: 1)) }
      #expect(try context.minimum(of: \Ticket.code) == codes.first)
      #expect(try context.maximum(of: \Ticket.code) == codes.last)
      let groups = try context.aggregate(Ticket.self, by: \.event, .minimum(\.code), .maximum(\.code))
      #expect(groups.mapValues { [$0.0, $0.1] } == [0: [codes[0], codes[4]], 1: [codes[1], codes[3]]])
    }
  }
}

import Foundation
import StoreRequests
import TestSupport
import Testing

@testable import SwiftData

@Suite("The history that a store keeps", RetentionWorld.condition) struct HistoryRetentionTests {
  @Model final class Event {
    var name: String
    init(_ name: String) { self.name = name }
  }

  private let world: RetentionWorld

  init() throws { world = try RetentionWorld() }

  private func context(retention: Duration? = nil) throws -> ModelContext {
    ModelContext(try world.container(Schema([Event.self]), retention: retention))
  }

  private func save(_ names: String..., author: String? = nil, in context: ModelContext) throws {
    context.author = author
    for name in names {
      context.insert(Event(name))
      try context.save()
    }
  }

  private func tokens(_ context: ModelContext) throws -> [DefaultHistoryToken] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.token)
  }

  private func names(after token: DefaultHistoryToken, _ context: ModelContext) throws -> Int {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
      .count
  }

  private func age(_ numbers: ClosedRange<Int>) throws { try world.age(numbers, days: 10) }

  private static let week = Duration.seconds(7 * 86_400)

  @Test("Opening deletes what is older, and a token from before then has expired")
  func opening() throws {
    let writer = try context()
    try save("1", "2", "3", in: writer)
    let tokens = try tokens(writer)
    try age(1...2)
    let context = try context(retention: Self.week)
    #expect(try self.tokens(context) == [tokens[2]])
    #expect(throws: SwiftDataError.historyTokenExpired) { try names(after: tokens[0], context) }
    #expect(try names(after: tokens[1], context) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Event>()) == 3)
  }

  @Test("A reader's position keeps what it needs, also from other containers, until it goes on or is released")
  func readers() throws {
    let writer = try context()
    try save("1", "2", "3", "4", in: writer)
    let tokens = try tokens(writer)
    try writer.keepHistory(after: tokens[1], for: "widget")
    try writer.keepHistory(after: tokens[2], for: "extension")
    try age(1...4)
    func kept() throws -> [DefaultHistoryToken] { try self.tokens(context(retention: Self.week)) }
    #expect(try kept() == Array(tokens[2...]))
    #expect(try names(after: tokens[1], writer) == 2)
    try writer.keepHistory(after: tokens[3], for: "widget")
    #expect(try kept() == Array(tokens[3...]))
    try writer.releaseHistory(for: "extension")
    #expect(try kept().isEmpty)
    try writer.releaseHistory(for: "widget")
    try writer.releaseHistory(for: "nobody")
    try world.check()
    // The store keeps no reader of a token that has expired.
    #expect(throws: SwiftDataError.historyTokenExpired) { try writer.keepHistory(after: tokens[0], for: "late") }
    try save("5", in: writer)
    try age(5...5)
    #expect(try kept().isEmpty)
  }

  @Test("What somebody deletes by a descriptor goes, whoever reads")
  func deletion() throws {
    let context = try context()
    try save("1", "2", in: context)
    let tokens = try tokens(context)
    try context.keepHistory(after: tokens[0], for: "widget")
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(throws: SwiftDataError.historyTokenExpired) { try names(after: tokens[0], context) }
  }

  @Test(
    "A token from before a transaction that was deleted out of the middle has expired, one of it or after it has not")
  func middle() throws {
    let writer = try context()
    try save("1", "2", in: writer)
    try save("3", author: "import", in: writer)
    try save("4", in: writer)
    let tokens = try tokens(writer)
    try writer.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "import" }))
    // Another container, as another program would.
    let reader = try context()
    for early in tokens[0...1] {
      let error = #expect(throws: SwiftDataError.historyTokenExpired) { try names(after: early, reader) }
      #expect(error?.explanation?.contains("of which 3 is the last") == true, "\(error?.explanation ?? "")")
    }
    #expect(try names(after: tokens[2], reader) == 1)
    #expect(try names(after: tokens[3], reader) == 0)
    try save("5", in: writer)
    #expect(try names(after: tokens[2], reader) == 2)
    // A condition that memory evaluates, and the end of the history.
    try writer.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.transactionIdentifier % 5 == 0 }))
    #expect(throws: SwiftDataError.historyTokenExpired) { try names(after: tokens[3], reader) }
    try save("6", in: writer)
    #expect(throws: SwiftDataError.historyTokenExpired) { try names(after: tokens[3], reader) }
    let last = try #require(try self.tokens(reader).last)
    #expect(try names(after: last, reader) == 0)
    // A lesser number takes no greater one's place.
    let second = tokens[1]
    try writer.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token == second }))
    #expect(throws: SwiftDataError.historyTokenExpired) { try names(after: tokens[3], reader) }
    try world.check()
  }

  @Test("A deletion from the front leaves no note of a gap, and what comes after one can go by age")
  func front() throws {
    let context = try context()
    try save("1", "2", "3", "4", "5", in: context)
    let tokens = try tokens(context)
    let engine = try #require(context.container.core.stores[0].engine as? any HistoryEngine)
    let (first, third) = (tokens[0], tokens[2])
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= first }))
    #expect(try engine.historyGap() == nil)
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token == third }))
    #expect(try engine.historyGap() == 3)
    try age(1...4)
    _ = try self.context(retention: Self.week)
    #expect(try self.tokens(context) == [tokens[4]])
    #expect(try names(after: tokens[3], context) == 1)
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(try engine.historyGap() == 3)
    #expect(try names(after: tokens[4], context) == 0)
  }

  @Test(
    "A reader whose transactions go out of the middle hears of it, and is forgotten when it names its old position again"
  )
  func readerOfMiddle() throws {
    let context = try context()
    try save("1", "2", "3", in: context)
    let tokens = try tokens(context)
    try context.keepHistory(after: tokens[0], for: "widget")
    let second = tokens[1]
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token == second }))
    #expect(throws: SwiftDataError.historyTokenExpired) { try names(after: tokens[0], context) }
    try age(1...3)
    _ = try self.context(retention: Self.week)
    #expect(try self.tokens(context) == [tokens[2]], "what the reader has still to read stays")
    #expect(throws: SwiftDataError.historyTokenExpired) { try context.keepHistory(after: tokens[0], for: "widget") }
    try world.check()
    try context.keepHistory(after: tokens[1], for: "widget")
    #expect(try names(after: tokens[1], context) == 1)
  }

  @Test("A program that runs for long deletes old history after saves, but not at each")
  func saving() throws {
    let context = try context(retention: Self.week)
    try save("1", "2", in: context)
    try age(1...2)
    try save("3", in: context)
    // The last time was when the container was opened.
    #expect(try tokens(context).count == 3)
    let opened = context.container.core.stores[0]
    opened.historyRetention.applyIfDue(to: opened, at: .now + .seconds(3599))
    #expect(try tokens(context).count == 3)
    opened.historyRetention.applyIfDue(to: opened, at: .now + .seconds(3700))
    #expect(try tokens(context).count == 1)
    #expect(HistoryRetention.interval(.seconds(1200)) == .seconds(120))
    #expect(HistoryRetention.interval(.zero) == .seconds(60))
  }

  @Test("After a clock was set back, nothing is deleted from the middle, so that no token misses it")
  func clock() throws {
    let writer = try context()
    try save("1", "2", "3", "4", in: writer)
    let tokens = try tokens(writer)
    try age(1...1)
    try age(3...3)
    let context = try context(retention: Self.week)
    #expect(try self.tokens(context) == Array(tokens[1...]))
    #expect(try names(after: tokens[1], context) == 2)
  }

  @Test("An observer counts transactions that were deleted before it has seen them")
  func observer() async throws {
    let writer = try context()
    try save("1", "2", "3", in: writer)
    let token = try tokens(writer)[0]
    try writer.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let filter = try HistoryFilter(writer.container.core, [], ["nobody"])
    let store = writer.container.core.stores[0]
    let (matters, now) = try filter.examine(after: [0: token.numbers[store.engine.identifier] ?? 0])
    #expect(matters && now == [0: 3])
    #expect(try !filter.examine(after: now).matters)
    try save("4", in: writer)
    #expect(try !filter.examine(after: now).matters)
    // The fourth stays, and the fifth goes.
    try save("5", "6", in: writer)
    let fifth = try tokens(writer)[1]
    try writer.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token == fifth }))
    #expect(try filter.examine(after: [0: 4]).matters)
    #expect(try !filter.examine(after: [0: 5]).matters)
  }
}

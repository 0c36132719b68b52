import Foundation
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

@testable import SwiftData

/// Memory sorts by a language's rules, and by the order of a type. A page reads the sorted properties of all rows, and all of its own rows.
@Suite("Pages in an order of memory", TestServer.condition)
struct PagedSortTests {
  enum Level: Int, Codable, Comparable {
    case low = 3
    case high = 1
    static func < (left: Self, right: Self) -> Bool { left.rawValue > right.rawValue }
  }

  @Model class Entry {
    var number: Int
    var name: String
    var note: String?
    var level: Level
    var section: Section?
    init(_ number: Int, _ name: String) {
      self.number = number
      self.name = name
      note = "note \(number)"
      level = number % 2 == 0 ? .low : .high
    }
  }

  @Model final class Special: Entry {
    var extra = "extra"
  }

  @Model final class Section {
    var title: String
    @Relationship(inverse: \Entry.section) var entries: [Entry] = []
    init(_ title: String) { self.title = title }
  }

  // Without \u{E5}: Foundation puts each of "a\u{3C2}" and "\u{E5}z" before the other. Each way to sort then has its own result.
  private static let pieces = [
    "a", "A", "\u{E9}", "e\u{301}", "E", "10", "9", "stra\u{DF}e", "STRASSE", "i", "\u{3C2}", "\u{3A3}", " ",
    "-", "z", "b", "\u{D55C}", "\u{1F468}",
  ]

  private static func names(_ count: Int, _ random: inout SplitMix) -> [String] {
    (0..<count).map { _ in (0..<random.below(4)).map { _ in pieces[random.below(pieces.count)] }.joined() }
  }

  private func fill(_ container: ModelContainer, _ names: [String]) throws {
    let context = ModelContext(container)
    let sections = ["Z", "\u{E9}", "10", "9"].map { Section($0) }
    for section in sections { context.insert(section) }
    for (number, name) in names.enumerated() {
      let entry = number % 5 == 0 ? Special(number, name) : Entry(number, name)
      context.insert(entry)
      if number % 7 != 0 { entry.section = sections[number % 4] }
    }
    try context.save()
  }

  private static let orders: [[SortDescriptor<Entry>]] = [
    [SortDescriptor(\.name, comparator: .localizedStandard), SortDescriptor(\.number)],
    [SortDescriptor(\.name, comparator: .localized, order: .reverse), SortDescriptor(\.number, order: .reverse)],
    [SortDescriptor(\.section?.title, comparator: .localizedStandard), SortDescriptor(\.note, comparator: .localized)],
    [
      SortDescriptor(\.section?.title, comparator: .lexical, order: .reverse), SortDescriptor(\.name),
      SortDescriptor(\.number, order: .reverse),
    ],
    [SortDescriptor(\.level), SortDescriptor(\.name)],
  ]

  @Test("Pages are those of a file, with and without unsaved changes", arguments: 1...3 as ClosedRange<UInt64>)
  func twins(_ seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let names = Self.names(120, &random)
    let schema = Schema([Entry.self, Special.self, Section.self])
    let stores = [try TemporaryStore(), try TemporaryStore()]
    let containers = try zip([TestEngine.file, .postgreSQL], stores).map { try $0.container(schema, $1) }
    for container in containers { try fill(container, names) }
    for order in Self.orders {
      for (limit, offset) in [(5, nil), (7, 20), (nil, 100), (0, nil), (200, 3), (30, 90)] as [(Int?, Int?)] {
        for isChanged in [false, true] {
          var descriptor = FetchDescriptor<Entry>(sortBy: order)
          descriptor.fetchLimit = limit
          descriptor.fetchOffset = offset
          let pages = try containers.map { container in
            let context = ModelContext(container)
            if isChanged { try change(context) }
            let page = try context.fetch(descriptor)
            let numbers = page.map(\.number)
            #expect(try context.fetchValues(descriptor, \.number) == numbers)
            var batches: [Int] = []
            try context.enumerate(descriptor, batchSize: 50, allowEscapingMutations: true) { batches.append($0.number) }
            #expect(batches == numbers)
            if !isChanged {
              #expect(try context.fetchIdentifiers(descriptor) == page.map(\.persistentModelID))
              #expect(try context.fetchCount(descriptor) == page.count)
            }
            return page.map { "\($0.number) \($0.name) \($0.note ?? "") \($0.section?.title ?? "")" }
          }
          #expect(pages[0] == pages[1], "\(limit ?? -1), \(offset ?? 0)")
        }
      }
    }
    withExtendedLifetime(stores) {}
  }

  private func change(_ context: ModelContext) throws {
    context.insert(Entry(1000, "\u{E9}"))
    let all = try context.fetch(FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.number)]))
    all[3].name = "zz"
    all[8].note = "changed"
    context.delete(all[12])
  }

  /// Fetches a page of five objects among sixty; returns the other objects that the context has then.
  private func othersOfPage(sortedBy order: [SortDescriptor<Entry>]) throws -> (others: [Entry], names: [String]) {
    var random = SplitMix(seed: 7)
    let container = try TestEngine.postgreSQL.container(
      Schema([Entry.self, Special.self, Section.self]), try TemporaryStore())
    let names = Self.names(60, &random)
    try fill(container, names)
    let context = ModelContext(container)
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.number)]))
    var descriptor = FetchDescriptor<Entry>(sortBy: order)
    descriptor.fetchLimit = 5
    descriptor.fetchOffset = 10
    let page = try context.fetch(descriptor)
    #expect(page.count == 5 && page.allSatisfy { $0._$state.status == .clean })
    let others = identifiers.compactMap { context.registeredModel(for: $0) as Entry? }.filter { other in
      !page.contains { $0 === other }
    }
    return (others, names)
  }

  @Test("A page by a language's rules makes no objects beside its own")
  func language() throws {
    for order in Self.orders.prefix(4) { #expect(try othersOfPage(sortedBy: order).others.isEmpty) }
  }

  @Test("A page by a type's order reads the other objects in part, and they complete themselves when they are used")
  func type() throws {
    let (others, names) = try othersOfPage(sortedBy: [SortDescriptor(\.level), SortDescriptor(\.number)])
    #expect(others.count == 55 && others.allSatisfy { $0._$state.status == .fault })
    for other in others { #expect(other.note == "note \(other.number)" && other.name == names[other.number]) }
  }
}

@Suite struct SortedPrefixTests {
  @Test("The first elements of many are those of a stable sort")
  func prefixes() {
    var random = SplitMix(seed: 3)
    for count in [0, 1, 8, 100, 1000] {
      let elements = (0..<count).map { (value: random.below(max(1, count / 3)), place: $0) }
      let sorted = elements.sorted { $0.value < $1.value }
      for wanted in [0, 1, 2, 7, count / 9, count / 2, count, count + 5] {
        let first = elements.sortedPrefix(wanted) { $0.value < $1.value }
        #expect(first.map(\.place) == sorted.prefix(wanted).map(\.place), "\(wanted) of \(count)")
        for start in [1, wanted / 2, wanted - 1, wanted + 3] where start >= 0 {
          let part = elements.sortedPrefix(wanted, from: start) { $0.value < $1.value }
          #expect(part.count == min(wanted, count))
          #expect(part.dropFirst(start).map(\.place) == sorted.prefix(wanted).dropFirst(start).map(\.place))
        }
      }
    }
  }

  @Test("A page far behind the first element takes a few comparisons for each element, whatever their order is")
  func farPages() {
    var random = SplitMix(seed: 4)
    let count = 20_000
    let orders: [[Int]] = [
      (0..<count).map { _ in random.below(count) }, Array(0..<count), (0..<count).reversed(),
      (0..<count).map { $0 % 7 },
      (0..<count).map { $0 < count / 2 ? $0 : count - $0 },
    ]
    for values in orders {
      let elements = values.enumerated().map { (value: $1, place: $0) }
      var comparisons = 0
      let page = elements.sortedPrefix(count / 2 + 20, from: count / 2) {
        comparisons += 1
        return $0.value < $1.value
      }
      let sorted = elements.sorted { $0.value < $1.value }
      #expect(page.dropFirst(count / 2).map(\.place) == sorted[(count / 2)...].prefix(20).map(\.place))
      #expect(comparisons < 6 * count, "\(comparisons)")
    }
  }
}

import Foundation
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import SwiftData

/// Sorts by a language's rules are made in memory. A page of them reads the sorted property of all rows, and all of its own rows.
@Suite("Pages in an order of memory", TestServer.condition)
struct PagedSortTests {
  @Model class Entry {
    var number: Int
    var name: String
    var note: String?
    var section: Section?
    init(_ number: Int, _ name: String) {
      self.number = number
      self.name = name
      note = "note \(number)"
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

  @Test("Objects beside the page are read in part only, and complete themselves when they are used")
  func reading() throws {
    var random = SplitMix(seed: 7)
    let container = try TestEngine.postgreSQL.container(
      Schema([Entry.self, Special.self, Section.self]), try TemporaryStore())
    let names = Self.names(60, &random)
    try fill(container, names)
    let context = ModelContext(container)
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.number)]))
    var descriptor = FetchDescriptor<Entry>(sortBy: Self.orders[0])
    descriptor.fetchLimit = 5
    descriptor.fetchOffset = 10
    let page = try context.fetch(descriptor)
    #expect(page.count == 5 && page.allSatisfy { $0._$state.status == .clean })
    let others = identifiers.compactMap { context.registeredModel(for: $0) as Entry? }.filter { other in
      !page.contains { $0 === other }
    }
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
      }
    }
  }
}

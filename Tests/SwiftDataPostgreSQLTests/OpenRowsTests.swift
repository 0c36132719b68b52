import Foundation
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import SwiftData

/// A search by a language's rules is certain for rows in common scripts. Memory tests the other rows, and loads no more of them than it needs.
@Suite("Conditions decided in part", TestServer.condition)
struct OpenRowsTests {
  @Model final class Place {
    var number: Int
    var name: String
    var kind: String
    init(_ number: Int, _ name: String) {
      self.number = number
      self.name = name
      kind = ["town", "river"][number % 2]
    }
  }

  private static let words = ["north", "NORTH", "south", "nor\u{301}th", "n\u{F6}rth", "", "no\u{AD}rth"]
  /// Every tenth row is beyond common scripts.
  private static let names = (0..<200).map { number in
    number % 10 == 0 ? "\(words[3 + number / 10 % 4]) \(number) \u{6F22}" : "\(words[number % 3]) \(number)"
  }

  private static let descriptors: [FetchDescriptor<Place>] = [
    FetchDescriptor(predicate: #Predicate { $0.name.localizedStandardContains("North") }),
    FetchDescriptor(predicate: #Predicate { $0.name.localizedStandardContains("north") && $0.number > 50 }),
    FetchDescriptor(predicate: #Predicate { !$0.name.localizedStandardContains("north") }),
    FetchDescriptor(
      predicate: #Predicate { $0.name.localizedStandardContains("north 4") || $0.name.contains("\u{F6}") }),
    FetchDescriptor(
      predicate: #Predicate { $0.name.starts(with: "n") && $0.name.localizedStandardContains("3") }),
  ]

  private let stores: [TemporaryStore]
  /// Over SQLite, and over PostgreSQL.
  private let containers: [ModelContainer]

  init() throws {
    let stores = [try TemporaryStore(), try TemporaryStore()]
    containers = try zip([TestEngine.file, .postgreSQL], stores).map { try $0.container(Schema([Place.self]), $1) }
    self.stores = stores
    for container in containers {
      let context = ModelContext(container)
      for (number, name) in Self.names.enumerated() { context.insert(Place(number, name)) }
      try context.save()
    }
  }

  /// Compares a result over both engines; returns the number of objects that the context over PostgreSQL has loaded.
  @discardableResult
  private func check<Result: Equatable>(
    changing: (ModelContext) throws -> Void = { _ in }, _ result: (ModelContext) throws -> Result,
    _ location: SourceLocation = #_sourceLocation
  ) throws -> Int {
    let contexts = containers.map { ModelContext($0) }
    for context in contexts { try changing(context) }
    let results = try contexts.map(result)
    #expect(results[0] == results[1], sourceLocation: location)
    return try ModelContext(containers[1]).fetchIdentifiers(FetchDescriptor<Place>()).count { identifier in
      (contexts[1].registeredModel(for: identifier) as Place?) != nil
    }
  }

  @Test("A count loads the rows beyond common scripts only")
  func counts() throws {
    for descriptor in Self.descriptors {
      #expect(try check { try $0.fetchCount(descriptor) } <= 20)
      var page = descriptor
      page.fetchOffset = 3
      page.fetchLimit = 50
      #expect(try check { try $0.fetchCount(page) } <= 20)
      try check(changing: change) { try $0.fetchCount(page) }
    }
  }

  @Test("Sums and groups load the rows beyond common scripts only")
  func aggregates() throws {
    for descriptor in Self.descriptors {
      let predicate = descriptor.predicate
      #expect(try check { try $0.sum(of: \Place.number, where: predicate) } <= 20)
      // The order of the additions may change the last digit.
      #expect(try check { try $0.average(of: \Place.number, where: predicate).map { Int($0 * 1e6) } } <= 20)
      func groups(_ context: ModelContext) throws -> [String] {
        let groups = try context.aggregate(
          Place.self, where: predicate, by: \.kind, .count, .maximum(\.number))
        return groups.map { "\($0.key) \($0.value.0) \($0.value.1 ?? -1)" }.sorted()
      }
      #expect(try check(groups) <= 20)
      try check(changing: change, groups)
    }
  }

  @Test("A count of texts in common scripts loads no row")
  func commonScripts() throws {
    for context in containers.map({ ModelContext($0) }) {
      for place in try context.fetch(FetchDescriptor<Place>()) {
        place.name =
          "\(["N\u{F6}rth", "Z\u{FC}rich", "\u{41C}\u{43E}\u{441}\u{43A}\u{432}\u{430}"][place.number % 3]) \(place.number)"
      }
      try context.save()
    }
    for text in ["north", "N\u{F6}R", "zurich 1", "\u{43C}\u{43E}\u{441}\u{43A}"] {
      let descriptor = FetchDescriptor<Place>(predicate: #Predicate { $0.name.localizedStandardContains(text) })
      #expect(try check { try $0.fetchCount(descriptor) } == 0)
    }
  }

  @Test("A page in the order of the store loads few rows beside it")
  func pages() throws {
    for var page in Self.descriptors {
      page.sortBy = [SortDescriptor(\.name, comparator: .lexical)]
      for (limit, offset) in [(5, nil), (2, 20), (0, nil), (60, 30), (500, nil)] as [(Int, Int?)] {
        page.fetchLimit = limit
        page.fetchOffset = offset
        let loaded = try check { try $0.fetch(page).map(\.number) }
        if limit < 10 { #expect(loaded <= 2 * (limit + (offset ?? 0)) + 50) }
        try check { try $0.fetchIdentifiers(page).count }
        try check(changing: change) { try $0.fetch(page).map(\.number) }
      }
    }
  }

  private func change(_ context: ModelContext) throws {
    context.insert(Place(1000, "n\u{F6}rth 3"))
    let all = try context.fetch(FetchDescriptor<Place>(sortBy: [SortDescriptor(\.number)]))
    all[10].name = "south"
    all[11].name = "North \u{E9}"
    context.delete(all[12])
  }
}

import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// A value whose getter fails on values that no row has.
struct PlayerCode: RawRepresentable, Codable, Hashable {
  var rawValue: String
  var initial: String { String(rawValue[rawValue.startIndex]) }
}

protocol RankedPlayer: PersistentModel {
  var points: Int { get }
  var perGame: Int { get }
  var distance: Int { get }
  var loudName: String { get }
  var firstTag: String { get }
  var host: String { get }
}

/// Each getter is safe on every row of the test, but not on zeros, extremes and empty values.
@Model final class RatedPlayer: RankedPlayer {
  var name: String
  var points: Int
  var games: Int
  var balance: Int
  var tags: [String]
  var link: String
  var code: PlayerCode

  var perGame: Int { points / games }
  var firstTag: String { tags[0] }
  var initial: String { String(name[name.startIndex]) }
  var distance: Int { abs(balance) }
  var host: String {
    guard let host = URL(string: link)?.host else { preconditionFailure("\(link) has no host") }
    return host
  }
  var loudName: String { name.uppercased() }

  init(_ name: String, points: Int, games: Int, balance: Int) {
    self.name = name
    self.points = points
    self.games = games
    self.balance = balance
    tags = [name, "player"]
    link = "https://\(name).example.org/\(points)"
    code = PlayerCode(rawValue: "\(name)-\(points)")
  }
}

@Suite("Computed properties run on rows only", .everyEngine)
struct ComputedPropertyTests {
  typealias Player = RatedPlayer

  let store: TemporaryStore
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Schema([Player.self]), store)
    context = ModelContext(container)
    let writing = ModelContext(container)
    writing.insert(Player("ann", points: 90, games: 9, balance: -5))
    writing.insert(Player("bob", points: 80, games: 4, balance: 3))
    writing.insert(Player("cid", points: 10, games: 2, balance: 40))
    try writing.save()
  }

  private func names(_ order: SortDescriptor<Player>...) throws -> [String] {
    try context.fetch(FetchDescriptor<Player>(sortBy: order)).map(\.name)
  }

  private func names(_ predicate: Predicate<Player>) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])).map(\.name)
  }

  @Test("Sorts by computed values are made in memory")
  func sorts() throws {
    #expect(try names(SortDescriptor(\.perGame)) == ["cid", "ann", "bob"])
    #expect(try names(SortDescriptor(\.distance)) == ["bob", "ann", "cid"])
    #expect(try names(SortDescriptor(\.firstTag, order: .reverse)) == ["cid", "bob", "ann"])
    #expect(try names(SortDescriptor(\.initial, order: .reverse)) == ["cid", "bob", "ann"])
    #expect(try names(SortDescriptor(\.host)) == ["ann", "bob", "cid"])
    #expect(try names(SortDescriptor(\.code.initial, order: .reverse)) == ["cid", "bob", "ann"])
    #expect(try names(SortDescriptor(\.code.rawValue, order: .reverse)) == ["cid", "bob", "ann"])
  }

  @Test("Predicates with computed values are evaluated in memory")
  func predicates() throws {
    #expect(try names(#Predicate { $0.perGame > 5 }) == ["ann", "bob"])
    #expect(try names(#Predicate { $0.distance < 10 && $0.points > 80 }) == ["ann"])
    #expect(try names(#Predicate { $0.firstTag == "bob" }) == ["bob"])
    #expect(try names(#Predicate { $0.initial == "c" }) == ["cid"])
    #expect(try names(#Predicate { $0.host == "ann.example.org" }) == ["ann"])
    #expect(try names(#Predicate { $0.code.initial == "b" }) == ["bob"])
    #expect(try names(#Predicate { $0.code.rawValue == "bob-80" }) == ["bob"])
  }

  @Test("Aggregates, values and sections of computed properties read the objects")
  func values() throws {
    #expect(try context.sum(of: \Player.perGame) == 35 && context.maximum(of: \Player.distance) == 40)
    #expect(try context.aggregate(Player.self, by: \.initial, .count) == ["a": 1, "b": 1, "c": 1])
    let hosts = try context.fetchValues(FetchDescriptor<Player>(sortBy: [SortDescriptor(\.points)]), \.host)
    #expect(hosts == ["cid.example.org", "bob.example.org", "ann.example.org"])
    let observer = try ResultsObserver(
      sortBy: [SortDescriptor(\.perGame)], sectionBy: \Player.firstTag, modelContext: context)
    #expect(observer.sections?.sectionTitles == ["ann", "bob", "cid"])
  }

  @Test("Where only stored properties count, a computed one is refused")
  func refused() {
    let computed: [PartialKeyPath<Player>] = [
      \.perGame, \.firstTag, \.initial, \.distance, \.host, \.loudName, \.code.initial,
    ]
    for keyPath in computed {
      #expect(throws: SwiftDataError.unsupportedKeyPath) { try ModelClass.of(Player.self).path(of: keyPath) }
      var descriptor = FetchDescriptor<Player>()
      descriptor.propertiesToFetch = [keyPath]
      #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.fetch(descriptor) }
    }
  }

  @Test("Requirements of a protocol lead to stored properties, and are refused if they are computed")
  func requirements() throws {
    func keyPaths<Model: RankedPlayer>(_ type: Model.Type) -> [PartialKeyPath<Model>] {
      [\.perGame, \.distance, \.loudName, \.firstTag, \.host]
    }
    func points<Model: RankedPlayer>(_ type: Model.Type) -> PartialKeyPath<Model> { \.points }
    for keyPath in keyPaths(Player.self) {
      #expect(throws: SwiftDataError.unsupportedKeyPath) { try ModelClass.of(Player.self).path(of: keyPath) }
    }
    #expect(try ModelClass.of(Player.self).path(of: points(Player.self)).properties.map(\.name) == ["points"])
    func ordered<Model: RankedPlayer>(_ type: Model.Type) throws -> [Int] {
      try context.fetch(FetchDescriptor<Model>(sortBy: [SortDescriptor(\.perGame)])).map(\.points)
    }
    #expect(try ordered(Player.self) == [10, 90, 80])
  }
}

import Foundation
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import SwiftData

@Suite("The order of relevance over both engines", TestServer.condition)
struct SearchOrderTests {
  typealias Text = SearchLibrary.Text
  typealias Letter = SearchLibrary.Letter

  private static let words = [
    "whale", "Wal", "wha", "sea", "café", "Cafe", "e-mail", "Zürich", "Москва", "b2", "東京", "май", "маи\u{306}", "маи",
  ]

  private static func text(_ random: inout SplitMix, upTo count: Int) -> String {
    (0...random.below(count)).map { _ in words[random.below(words.count)] }.joined(separator: " ")
  }

  /// Worlds over a file and over the server, with the same texts.
  private static func worlds(_ random: inout SplitMix, count: Int) throws -> [SearchWorld] {
    let worlds = try [TestEngine.file, .postgreSQL].map { engine in
      try TestEngine.$current.withValue(engine) { try SearchWorld() }
    }
    for number in 0..<count {
      let title = "\(number) \(text(&random, upTo: 3))"
      let body = random.once(in: 4) ? nil : text(&random, upTo: 20)
      // The classes have their keys in one order, which decides where the relevance is equal.
      let isLetter = number >= count / 2
      for world in worlds { world.context.insert(isLetter ? Letter(title, body, to: "whale") : Text(title, body)) }
      if number == count / 2 - 1 || number == count - 1 { for world in worlds { try world.context.save() } }
    }
    return worlds
  }

  @Test("The objects come in the same order", arguments: 0..<(FullTests.areWanted ? 4 : 1))
  func order(seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    let worlds = try Self.worlds(&random, count: 60)
    for _ in 0..<40 {
      var search = TextSearch<Text>(
        Self.text(&random, upTo: 3), matching: TextSearchForms.all[random.below(4)],
        in: [[], [\.title], [\.body]][random.below(3)])
      if random.once(in: 2) { search.weights = [\.title: Double(random.below(5)), \.body: 1] }
      if random.once(in: 4) { search.weights = [\.body: 0.25] }
      var descriptor = FetchDescriptor<Text>()
      descriptor.search = search
      if random.once(in: 4) { descriptor.fetchLimit = 5 }
      let found = try worlds.map { try $0.context.fetch(descriptor).map(\.title) }
      #expect(found[0] == found[1], "\(search)")
      #expect(try worlds[1].context.fetchCount(descriptor) == found[0].count)
    }
  }

  @Test("A condition of many words gives the same order, with weights too")
  func manyWords() throws {
    var random = SplitMix(seed: 7)
    let worlds = try [TestEngine.file, .postgreSQL].map { engine in
      try TestEngine.$current.withValue(engine) { try SearchWorld() }
    }
    func text(_ count: Int) -> String {
      (0..<count).map { _ in "w\(random.below(20) * random.below(20))" }.joined(separator: " ")
    }
    for number in 0..<40 {
      let (title, body) = ("\(number) \(text(4))", random.once(in: 4) ? nil : text(30))
      for world in worlds { world.context.insert(Text(title, body)) }
      for world in worlds { try world.context.save() }
    }
    let words = (0..<120).map { "w\($0)" }.shuffled(using: &random).joined(separator: " ") + " w3-w4 w5"
    for weights in [[:], [\.title: 3, \.body: 0.5]] as [[PartialKeyPath<Text>: Double]] {
      var search = TextSearch<Text>(words, matching: .anyWord)
      search.weights = weights
      var descriptor = FetchDescriptor<Text>()
      descriptor.search = search
      let found = try worlds.map { try $0.context.fetch(descriptor).map(\.title) }
      #expect(found[0] == found[1] && found[0].count > 30)
    }
  }

  @Test("A word that each row has still counts, and an empty table has no matches")
  func commonWords() throws {
    let worlds = try [TestEngine.file, .postgreSQL].map { engine in
      try TestEngine.$current.withValue(engine) { try SearchWorld() }
    }
    for world in worlds {
      #expect(try world.titles("whale") == [])
      for title in ["whale and more", "whale", "whale whale or"] { world.context.insert(Text(title)) }
      try world.context.save()
    }
    #expect(try worlds[0].titles("whale") == worlds[1].titles("whale"))
    #expect(try worlds[0].titles("whale whale or", .anyWord) == worlds[1].titles("whale whale or", .anyWord))
  }
}

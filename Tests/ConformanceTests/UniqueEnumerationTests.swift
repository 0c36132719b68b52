import Foundation
import SwiftData
import TestSupport
import Testing

/// Cards, and what has other unique values.
private enum Deck {
  enum Suit: String, Codable { case hearts, spades }
  enum Rank: Int, Codable { case ace = 1, king = 13 }
  enum Phase: Codable { case early, late }
  struct Size: Codable {
    var width = 1
    var height = 2
  }

  /// One card of each suit is the trump.
  @Model final class Trump {
    @Attribute(.unique) var suit: Suit?
    var points: Int
    init(_ suit: Suit?, points: Int) { (self.suit, self.points) = (suit, points) }
  }

  @Model final class Card {
    #Unique<Card>([\.rank, \.suit])
    #Index<Card>([\.suit], [\.rank, \.points])
    var suit: Suit
    var rank: Rank
    var points: Int
    init(_ suit: Suit, _ rank: Rank, points: Int) { (self.suit, self.rank, self.points) = (suit, rank, points) }
  }

  @Model final class Moon {
    @Attribute(.unique) var phase: Phase
    init(_ phase: Phase) { self.phase = phase }
  }

  enum Toll: Codable {
    case free
    case fee(cents: Int)
  }

  @Model final class Bridge {
    @Attribute(.unique) var toll: Toll
    init(_ toll: Toll) { self.toll = toll }
  }

  @Model final class Tide {
    #Index<Tide>([\.name, \.phase])
    var name: String
    var phase: Phase
    init(_ name: String, _ phase: Phase) { (self.name, self.phase) = (name, phase) }
  }

  @Model final class Box {
    #Index<Box>([\.size], [\.toll])
    var size: Size
    var toll: Toll
    init(_ size: Size, _ toll: Toll) { (self.size, self.toll) = (size, toll) }
  }

  @Model final class Crate {
    @Attribute(.unique) var size: Size
    init(_ size: Size) { self.size = size }
  }
}

private typealias Suit = Deck.Suit
private typealias Rank = Deck.Rank
private typealias Phase = Deck.Phase
private typealias Size = Deck.Size
private typealias Trump = Deck.Trump
private typealias Card = Deck.Card
private typealias Moon = Deck.Moon
private typealias Crate = Deck.Crate

@Suite("Enumerations as unique values", ChapterPlace.condition)
struct UniqueEnumerationTests {
  private let store: TemporaryStore

  init() throws { store = try TemporaryStore(name: "Cards.store") }

  private func open(_ classes: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(try ModelContainer(for: Schema(classes), configurations: [ModelConfiguration(url: store.url)]))
  }

  @Test("An insertion with the raw value of an object updates it, and nil equals nothing")
  func upsert() throws {
    let context = try open(Trump.self)
    context.insert(Trump(.hearts, points: 1))
    context.insert(Trump(nil, points: 2))
    context.insert(Trump(nil, points: 3))
    try context.save()
    context.insert(Trump(.hearts, points: 4))
    context.insert(Trump(.spades, points: 5))
    try context.save()
    let trumps = try open(Trump.self).fetch(FetchDescriptor<Trump>(sortBy: [SortDescriptor(\.points)]))
    #expect(trumps.map(\.points) == [2, 3, 4, 5])
    #expect(trumps.map(\.suit) == [nil, nil, .hearts, .spades])
  }

  @Test("Two enumerations are unique together, and may be indexed")
  func together() throws {
    let context = try open(Card.self)
    for (suit, rank, points) in [(Suit.hearts, Rank.ace, 11), (.hearts, .king, 4), (.spades, .ace, 11)] {
      context.insert(Card(suit, rank, points: points))
    }
    try context.save()
    context.insert(Card(.hearts, .king, points: 40))
    try context.save()
    let kings = try context.fetch(FetchDescriptor<Card>(predicate: #Predicate { $0.points > 11 }))
    #expect(kings.map(\.suit) == [.hearts] && kings.map(\.rank) == [.king])
    #expect(try context.fetchCount(FetchDescriptor<Card>()) == 3)
  }

  @Test("An update to another object's raw values is refused, and names the properties")
  func update() throws {
    let context = try open(Card.self)
    let king = Card(.hearts, .king, points: 4)
    context.insert(king)
    context.insert(Card(.hearts, .ace, points: 11))
    try context.save()
    king.rank = .ace
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    let message = error?.errorDescription ?? ""
    #expect(message.contains("Card") && message.contains("rank") && message.contains("suit"), "\(message)")
  }

  @Test("One without raw values, and a structure, are refused with the class, the property and the way out")
  func refused() throws {
    func message(_ type: any PersistentModel.Type) -> String {
      #expect(throws: SwiftDataError.self) { _ = try open(type) }?.errorDescription ?? ""
    }
    let phase = message(Moon.self)
    #expect(phase.contains("“Moon”") && phase.contains("“phase”") && phase.contains("give the enumeration raw values"))
    let toll = message(Deck.Bridge.self)
    #expect(toll.contains("“Bridge”") && toll.contains("“toll”") && toll.contains("make another property unique"))
    let size = message(Crate.self)
    #expect(size.contains("“Crate”") && size.contains("“size”") && size.contains("such as “size.width”"), "\(size)")
  }

  @Test("An index of one without raw values, or of a structure, is refused in the same way")
  func indexes() throws {
    func message(_ type: any PersistentModel.Type) -> String {
      #expect(throws: SwiftDataError.self) { _ = try open(type) }?.errorDescription ?? ""
    }
    let tide = message(Deck.Tide.self)
    #expect(
      tide.contains("Tide: ") && tide.contains("'phase'") && tide.contains("give the enumeration raw values"), "\(tide)"
    )
    let box = message(Deck.Box.self)
    #expect(box.contains("such as 'size.width'") && box.contains("'toll'"), "\(box)")
  }
}

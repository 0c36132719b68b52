import Foundation
import SwiftData
import TestSupport
import Testing

/// Lamps with values of all kinds.
private enum Lamps {
  enum Colour: String, Codable { case red, blue }
  enum Phase: Codable { case early, late }

  struct Price: Codable, Hashable {
    var net: Decimal
    var tax: Double?
    var labels: [String] = []
  }

  @Composite struct Place: Codable, Hashable {
    var street = "S"
    var number = 1
    var inner = Inner()
  }

  @Composite struct Inner: Codable, Hashable {
    var floor: Int? = 2
    var since = Date(timeIntervalSinceReferenceDate: 5)
  }

  @Model final class Lamp {
    var name: String
    @Attribute(.preserveValueOnDeletion) var colour: Colour?
    @Attribute(.preserveValueOnDeletion) var phase: Phase
    @Attribute(.preserveValueOnDeletion) var price: Price
    @Attribute(.preserveValueOnDeletion) var rebate: Price?
    @Attribute(.preserveValueOnDeletion) var place: Place
    var other: Price
    init(_ name: String, colour: Colour?, price: Price, place: Place) {
      (self.name, self.colour, self.phase, self.price, self.place) = (name, colour, .late, price, place)
      other = price
    }
  }
}

private typealias Lamp = Lamps.Lamp
private typealias Price = Lamps.Price
private typealias Place = Lamps.Place
private typealias Inner = Lamps.Inner
private typealias Colour = Lamps.Colour
private typealias Phase = Lamps.Phase

@Suite("What history keeps of enumerations and structures", ChapterPlace.condition)
struct CompositeTombstoneTests {
  private let store: TemporaryStore

  init() throws { store = try TemporaryStore(name: "Lamps.store") }

  @Test("A tombstone has their values, also of objects that a predicate deletes", arguments: [true, false])
  func values(isBatch: Bool) throws {
    let container = try ModelContainer(
      for: Schema([Lamp.self]), configurations: [ModelConfiguration(url: store.url)])
    let context = ModelContext(container)
    let price = Price(net: 12.5, tax: 0.1, labels: ["a", "ä"])
    let place = Place(
      street: "Main", number: 7, inner: Inner(floor: nil, since: Date(timeIntervalSinceReferenceDate: 9)))
    let lamp = Lamp("one", colour: .blue, price: price, place: place)
    context.insert(lamp)
    try context.save()
    if isBatch {
      try context.delete(model: Lamp.self, where: #Predicate { $0.name == "one" })
    } else {
      context.delete(lamp)
    }
    try context.save()
    let deletions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
      .compactMap {
        if case .delete(let deletion) = $0 { deletion as? DefaultHistoryDelete<Lamp> } else { nil }
      }
    let tombstone = try #require(deletions.first?.tombstone)
    #expect(tombstone[\.colour] as? Colour == .blue)
    #expect(tombstone[\.phase] as? Phase == .late)
    #expect(tombstone[\.price] as? Price == price)
    #expect(tombstone[\.place] as? Place == place)
    #expect(tombstone[\.rebate] == nil && tombstone[\.other] == nil && tombstone[\.name] == nil)
    #expect(tombstone.map { $0 }.count == 4)
  }
}

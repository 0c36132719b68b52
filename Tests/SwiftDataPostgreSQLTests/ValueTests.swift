import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("A PostgreSQL store", TestServer.condition)
struct ValueTests {
  enum Mood: String, Codable, CaseIterable { case calm, wild }
  enum Kind: Codable { case plain, special }

  struct Place: Codable, Equatable {
    var street: String
    var zip: Int?
  }

  @Model final class Thing {
    @Attribute(.unique) var number: Int
    var text: String = ""
    var note: String?
    var small: Int16 = 0
    var middle: Int32 = 0
    var byte: UInt8 = 0
    var word: UInt64 = 0
    var ratio: Double = 0
    var share: Float?
    var price: Decimal = 0
    var isNew: Bool = false
    var made: Date = Date(timeIntervalSinceReferenceDate: 0)
    var sold: Date?
    var code: UUID = UUID()
    var link: URL?
    var bytes: Data?
    @Attribute(.externalStorage) var photo: Data?
    var mood: Mood = ValueTests.Mood.calm
    var kind: Kind = ValueTests.Kind.plain
    var place: Place = ValueTests.Place(street: "", zip: nil)
    var tags: [String] = []
    var order: Int = 0
    var id: String = ""

    init(_ number: Int) { self.number = number }
  }

  let store: TemporaryStore
  let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.postgreSQL.container(Schema([Thing.self]), store)
  }

  @Test("Extreme values of every kind come back unchanged")
  func extremes() throws {
    let context = ModelContext(container)
    let code = UUID()
    let price = try #require(Decimal(string: "-1234567890123456789012345678.0123456789"))
    let thing = Thing(.min)
    thing.text = "e\u{301}'\"\\;--\u{1F468}\u{200D}\u{1F680}\n"
    thing.small = .min
    thing.middle = .max
    thing.byte = .max
    thing.word = .max
    thing.ratio = .greatestFiniteMagnitude
    thing.share = 0.1
    thing.price = price
    thing.isNew = true
    thing.made = .distantPast
    thing.sold = Date(timeIntervalSinceReferenceDate: 700_000_000.123456)
    thing.code = code
    thing.link = URL(string: "https://example.com/a?b=c")
    thing.bytes = Data()
    thing.photo = Data.pattern(count: 300_000) { UInt8(truncatingIfNeeded: $0 * 7) }
    thing.mood = .wild
    thing.kind = .special
    thing.place = Place(street: "Main", zip: 5)
    thing.tags = ["a", "", "ü"]
    thing.order = 9
    thing.id = "name"
    context.insert(thing)
    context.insert(Thing(.max))
    try context.save()
    let read = try #require(
      try ModelContext(container).fetch(FetchDescriptor<Thing>(predicate: #Predicate { $0.number < 0 })).first)
    #expect(Array(read.text.unicodeScalars) == Array(thing.text.unicodeScalars))
    #expect(read.number == .min && read.small == .min && read.middle == .max && read.byte == .max && read.word == .max)
    #expect(read.ratio == .greatestFiniteMagnitude && read.share == 0.1 && read.price == price && read.isNew)
    #expect(read.made == .distantPast && read.sold == thing.sold && read.code == code && read.link == thing.link)
    #expect(read.bytes == Data() && read.photo == thing.photo && read.mood == .wild && read.place == thing.place)
    #expect(read.tags == thing.tags && read.note == nil && read.order == 9 && read.id == "name")
    let kind = if case .special = read.kind { true } else { false }
    #expect(kind)
  }

  struct Price: Codable, Equatable {
    var net: Decimal
    var tax: Decimal?
  }

  @Model final class Offer {
    @Attribute(.preserveValueOnDeletion) var least: Decimal
    var price: Price
    init(_ least: Decimal, _ price: Price) {
      self.least = least
      self.price = price
    }
  }

  @Test("Decimal numbers keep all digits in structures, too")
  func decimalsInStructures() throws {
    let container = try TestEngine.postgreSQL.container(Schema([Offer.self]), try TemporaryStore())
    let context = ModelContext(container)
    let prices = try ["0.12345678901234567890", "-12345678901234567890123456789.5", "0.1", "7"].map { text in
      let number = try #require(Decimal(string: text))
      return Price(net: number, tax: text.count > 5 ? -number : nil)
    }
    for price in prices { context.insert(Offer(price.net, price)) }
    try context.save()
    let fresh = ModelContext(container)
    let read = try fresh.fetch(FetchDescriptor<Offer>())
    #expect(read.map(\.price.net).sorted() == prices.map(\.net).sorted())
    #expect(read.map(\.least).sorted() == prices.map(\.net).sorted())
    #expect(read.compactMap(\.price.tax).sorted() == prices.compactMap(\.tax).sorted())
    let wanted = prices[0]
    let found = try fresh.fetch(FetchDescriptor<Offer>(predicate: #Predicate { $0.price.net == wanted.net }))
    #expect(found.map(\.price) == [wanted])
    let offer = try #require(found.first)
    let least = offer.least
    fresh.delete(offer)
    try fresh.save()
    let deletions = try fresh.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes).compactMap
    {
      if case .delete(let change) = $0 { change as? DefaultHistoryDelete<Offer> } else { nil }
    }
    #expect(deletions.first?.tombstone[\.least] as? Decimal == least)
  }

  @Test("Every value can be changed and cleared, and an object deleted")
  func changes() throws {
    let context = ModelContext(container)
    for number in 0..<5 { context.insert(Thing(number)) }
    try context.save()
    let other = ModelContext(container)
    let things = try other.fetch(FetchDescriptor<Thing>(sortBy: [SortDescriptor(\.number)]))
    things[0].note = "new"
    things[0].bytes = Data([0, 1, 255])
    things[1].price = 0.1
    things[1].sold = .now
    other.delete(things[2])
    try other.save()
    things[0].note = nil
    things[0].bytes = nil
    try other.save()
    let read = try ModelContext(container).fetch(FetchDescriptor<Thing>(sortBy: [SortDescriptor(\.number)]))
    #expect(read.map(\.number) == [0, 1, 3, 4])
    #expect(read[0].note == nil && read[0].bytes == nil && read[1].price == 0.1 && read[1].sold != nil)
  }

  @Test("A text with a NUL character, a date beyond the calendar and not-a-number are refused, and nothing is saved")
  func unstorable() throws {
    for spoil in [
      { $0.text = "a\0b" }, { $0.made = Date(timeIntervalSinceReferenceDate: 1e17) }, { $0.ratio = .nan },
    ] as [(Thing) -> Void] {
      let context = ModelContext(container)
      context.insert(Thing(1))
      let thing = Thing(2)
      spoil(thing)
      context.insert(thing)
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect("\(try #require(error))".contains("Thing"))
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Thing>()) == 0)
    }
  }

  @Test("A predicate about a text with a NUL character selects nothing, and does not fail")
  func nulInPredicate() throws {
    let context = ModelContext(container)
    context.insert(Thing(1))
    try context.save()
    let text = "a\0b"
    #expect(try context.fetch(FetchDescriptor<Thing>(predicate: #Predicate { $0.text == text })).isEmpty)
    #expect(try context.fetchCount(FetchDescriptor<Thing>(predicate: #Predicate { $0.text != text })) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Thing>(predicate: #Predicate { $0.text.contains(text) })) == 0)
  }

  @Test("The tables have plain names and types")
  func layout() throws {
    let connection = try #require(TestServer.shared).connect()
    let rows = try connection.run(
      "SELECT column_name::text, data_type::text FROM information_schema.columns WHERE table_schema = $1 AND table_name = 'thing'",
      [.text(store.databaseSchema)])
    var types: [String: String] = [:]
    for row in 0..<rows.rowCount { types[rows.text(row, 0) ?? ""] = rows.text(row, 1) }
    #expect(types["number"] == "bigint" && types["small"] == "smallint" && types["is_new"] == "boolean")
    #expect(types["price"] == "numeric" && types["made"] == "timestamp with time zone" && types["code"] == "uuid")
    #expect(
      types["share"] == "real" && types["bytes"] == "bytea" && types["mood"] == "text" && types["order"] == "bigint")
    #expect(types["place_street"] == "text" && types["id"] == "text" && types["_id"] == "bigint")
  }
}

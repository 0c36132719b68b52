import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@testable import PostgreSQLStore

/// A database whose texts are sorted by the rules of German, and sessions with settings that change how values are written as text.
@Suite("Settings of a database and of a session", TestServer.condition)
struct SessionSettingsTests {
  enum Level: String, Codable { case low, high }

  struct Stay: Codable, Equatable {
    var from: Date
    var price: Decimal
  }

  @Model final class Item {
    #Index<Item>([\.text], [\.date])
    @Attribute(.unique) var number: Int
    var text: String
    var date: Date
    var price: Decimal
    var ratio: Double
    var share: Float
    var bytes: Data
    var code: UUID
    var stay: Stay
    var dates: [Date]
    var texts: [String]
    var level: Level

    init(_ number: Int, _ text: String, _ date: Date, _ price: Decimal) {
      (self.number, self.text, self.date, self.price) = (number, text, date, price)
      ratio = 0.1 + Double(number) / 3
      share = 0.1 + Float(number) / 3
      bytes = Data([0, 92, 39, UInt8(number), 255])
      code = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(number)))
      stay = Stay(from: date, price: price)
      dates = [date, date.addingTimeInterval(0.5)]
      texts = [text, "\\", "{}\""]
      level = number.isMultiple(of: 2) ? .low : .high
    }
  }

  private static let texts = [
    "Zebra", "ähnlich", "affe", "Öl", "ol", "a-b", "ab", "straße", "strasse", "back\\slash'", "",
  ]
  private static let dates = [
    Date.distantPast, Date(timeIntervalSince1970: -2_000_000_000.25), Date(timeIntervalSince1970: 0),
    Date(timeIntervalSinceReferenceDate: 700_000_000.123456), Date(timeIntervalSince1970: 1_711_846_800),
    Date.distantFuture,
  ]
  private static let prices = ["-1234567890123456789012345678.0123456789", "0.1", "0", "100", "99999999.99"]

  /// Settings that a server, a database or a role may have.
  private static let settings = [
    "TimeZone=Asia/Kolkata", "DateStyle=German", "IntervalStyle=iso_8601", "bytea_output=escape",
    "extra_float_digits=-10", "standard_conforming_strings=off", "default_transaction_isolation=serializable",
  ]

  let store: TemporaryStore
  let server: TestServer

  init() throws {
    store = try TemporaryStore()
    server = try TestServer.required()
  }

  /// Runs a closure with the address of a database that sorts texts as German does. Skips the test where the server cannot.
  private func withGermanDatabase(_ body: (_ address: String) throws -> Void) throws {
    let collations = try server.connect().run("SELECT 1 FROM pg_collation WHERE collname LIKE '%-x-icu' LIMIT 1")
    guard try server.connect().serverVersion >= 150_000, collations.rowCount > 0 else {
      try Test.cancel("needs a PostgreSQL server of version 15 or later that was built with ICU")
    }
    let name = store.databaseSchema
    try server.withDatabase(name, "LOCALE_PROVIDER icu ICU_LOCALE 'de-DE' LOCALE 'C'") {
      let options = Self.settings.map { "-c%20" + $0.replacing("=", with: "%3D") }.joined(separator: "%20")
      let address = server.address(ofDatabase: name) + "&options=" + options
      // The settings are those of the sessions, and the order is not that of the bytes.
      let connection = try Connection(ServerAddress(address))
      #expect(try connection.run("SELECT current_setting('DateStyle')").text(0, 0) == "German, DMY")
      #expect(try connection.run("SELECT ('a' < 'Z' AND 'ä' < 'z')::int::bigint").integer(0, 0) == 1)
      try body(address)
    }
  }

  private func open(_ address: String) throws -> ModelContainer {
    let configuration = PostgreSQLConfiguration(address, databaseSchema: store.databaseSchema, connectionLimit: 2)
    return try ModelContainer(for: Schema([Item.self]), configurations: [configuration])
  }

  /// Saves items, and gives all their values and the answers to requests as lines.
  private func lines(_ address: String) throws -> [String] {
    let context = ModelContext(try open(address))
    for (number, text) in Self.texts.enumerated() {
      let price = try #require(Decimal(string: Self.prices[number % Self.prices.count]))
      context.insert(Item(number, text, Self.dates[number % Self.dates.count], price))
    }
    try context.save()
    let fresh = ModelContext(try open(address))
    let border = Self.dates[3]
    func numbers(_ predicate: Predicate<Item>? = nil, _ sort: [SortDescriptor<Item>] = []) throws -> String {
      let found = try fresh.fetch(FetchDescriptor(predicate: predicate, sortBy: sort + [SortDescriptor(\.number)]))
      return "\(found.map(\.number))"
    }
    var lines = try fresh.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.number)])).map { item in
      let dates = ([item.date, item.stay.from] + item.dates).map { "\($0.timeIntervalSinceReferenceDate)" }
      return "\(item.number) \(item.text) \(dates) \(item.price) \(item.stay.price) \(item.ratio) \(item.share) "
        + "\(Array(item.bytes)) \(item.code) \(item.texts) \(item.level)"
    }
    lines += [
      try numbers(nil, [SortDescriptor(\.text, comparator: .lexical)]),
      try numbers(nil, [SortDescriptor(\.text)]), try numbers(nil, [SortDescriptor(\.text, order: .reverse)]),
      try numbers(nil, [SortDescriptor(\.date)]), try numbers(nil, [SortDescriptor(\.price)]),
      try numbers(#Predicate { $0.text > "b" }), try numbers(#Predicate { $0.text == "strasse" }),
      try numbers(#Predicate { $0.text.contains("\\") }), try numbers(#Predicate { $0.text.starts(with: "a") }),
      try numbers(#Predicate { $0.text.localizedStandardContains("OL") }),
      try numbers(#Predicate { $0.date <= border }), try numbers(#Predicate { $0.stay.from > border }),
      try numbers(#Predicate { $0.dates.contains(border) }), try numbers(#Predicate { $0.texts.contains("ab") }),
      "\(try fresh.sum(of: \Item.price)) \(try fresh.maximum(of: \Item.date)?.timeIntervalSince1970 ?? 0)",
      "\(try fresh.minimum(of: \Item.text) ?? "") \(try fresh.maximum(of: \Item.text) ?? "")",
    ]
    try fresh.update(model: Item.self, where: #Predicate { $0.text < "a" }) { $0.set(\.date, to: border) }
    try fresh.save()
    lines.append(try numbers(#Predicate { $0.date == border }))
    let history = try fresh.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    // The moments of the transactions are those of this test.
    lines.append("\(history.map { abs($0.timestamp.timeIntervalSinceNow) < 3600 })")
    return lines
  }

  @Test("Values come back unchanged, and requests have the same results as over plain settings")
  func values() throws {
    try withGermanDatabase { address in
      let plain = try lines(server.address)
      let own = try lines(address)
      #expect(own.count == Self.texts.count + 18)
      for (one, other) in zip(own, plain) { #expect(one == other) }
      #expect(own[Self.texts.count] == "\(Self.texts.indices.sorted { Self.texts[$0] < Self.texts[$1] })")
    }
  }

  @Test("Random requests of random stores give what evaluation in memory gives")
  func random() throws {
    try withGermanDatabase { address in
      for seed in UInt64(20_261_126)..<20_261_128 {
        var numbers = SplitMix(seed: seed)
        let random = FetchRandomModel(&numbers)
        var options = ServerOptions()
        options.schema = "seed_\(seed)"
        options.connectionLimit = 2
        let engine = try ServerStore.open(address, options: options, model: random.model)
        let rows = RandomRows(of: random, &numbers).withoutNUL()
        let world = try FetchRandomWorld(random, rows, store, engine)
        var run = FetchRandomRun(world, RandomFetchTests.questions, seed: seed, numbers)
        run.expectRequests(40)
        try run.expectFormats(40)
        try run.expectContents()
        #expect(run.decided > run.undecided)
      }
    }
  }
}

import CoreDataStore
import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreRequests
import SwiftDataPostgreSQL
import TestSupport
import Testing

@testable import SwiftData

@Suite("Arrays of numbers, bytes and enumerations in a PostgreSQL store", TestServer.condition)
struct ArrayElementTests: SampleTableSuite {
  enum Color: String, Codable { case red, green, blue = "b\"l,{}" }
  enum Level: Int, Codable { case low = -1, high = 9_000_000_000 }
  enum Small: Int16, Codable { case one = 1 }
  enum Share: Double, Codable { case half = 0.5, all = 1 }

  /// An enumeration that encodes something else than its raw values.
  enum Coded: String, Codable {
    case first, second
    init(from decoder: any Decoder) throws {
      self = try decoder.singleValueContainer().decode(Int.self) == 1 ? .first : .second
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(self == .first ? 1 : 2)
    }
  }

  /// A type with any raw value.
  struct Mark: RawRepresentable, Codable, Hashable { var rawValue: String }

  @Model final class Sample {
    var number: Int
    @Attribute(.preserveValueOnDeletion) var colors: [Color] = []
    @Attribute(.preserveValueOnDeletion) var prices: [Decimal] = []
    var blobs: [Data]?
    var ratios: [Float] = []
    var levels: [Level] = []
    var smalls: [Small] = []
    var shares: [Share] = []
    var coded: [Coded] = []
    var marks: [Mark] = []
    var links: [URL] = []
    var gaps: [Color?] = []
    var ratio: Float = 0
    var color: Color?
    init(_ number: Int) { self.number = number }
  }

  static func filled(_ number: Int) throws -> Sample {
    let sample = Sample(number)
    sample.colors = [.red, .blue, .red]
    sample.prices = try [
      "-1234567890123456789012345678.0123456789", "0", "12.50", "340282366920938463463374607431768211455", "1e127",
      "1e-127",
      "NaN",
    ].map { try #require($0 == "NaN" ? .nan : Decimal(string: $0)) }
    sample.blobs = [Data(), Data([0, 255, 92, 34]), Data((0..<200).map { UInt8($0) })]
    sample.ratios = [
      0.1, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 16_777_216,
      Float(bitPattern: 0xFFC0_1234),
    ]
    (sample.levels, sample.smalls, sample.shares) = ([.high, .low], [.one], [.half, .all])
    (sample.coded, sample.marks, sample.gaps) = ([.second, .first], [Mark(rawValue: "a")], [.red, nil])
    let base = try #require(URL(string: "https://example.org/a/"))
    sample.links = [base, try #require(URL(string: "b", relativeTo: base))]
    return sample
  }

  static func expectEqual(_ read: Sample, _ sample: Sample) {
    #expect(read.colors == sample.colors && read.blobs == sample.blobs)
    #expect(read.prices.map(\.description) == sample.prices.map(\.description))
    #expect(read.ratios.map(\.bitPattern) == sample.ratios.map(\.bitPattern))
    #expect(read.levels == sample.levels && read.smalls == sample.smalls && read.shares == sample.shares)
    #expect(read.coded == sample.coded && read.marks == sample.marks && read.gaps == sample.gaps)
    #expect(read.links == sample.links && read.links.map(\.baseURL) == sample.links.map(\.baseURL))
  }

  let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  private func samples(_ container: ModelContainer) throws -> [Sample] {
    try ModelContext(container).fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.number)]))
  }

  private static let types = [
    "colors": "text[]", "prices": "numeric[]", "blobs": "bytea[]", "ratios": "real[]", "levels": "bigint[]",
    "smalls": "smallint[]", "shares": "double precision[]",
  ]

  @Test("Values without loss are elements that SQL reads and writes; others stay JSON")
  func values() throws {
    let container = try open(Sample.self)
    let context = ModelContext(container)
    let all = [try Self.filled(1), Sample(2), try Self.filled(3), Sample(4)]
    for sample in all { context.insert(sample) }
    try context.save()
    for (read, sample) in zip(try samples(container), all) { Self.expectEqual(read, sample) }
    let types = try types()
    for (column, type) in Self.types { #expect(types[column] == type, "\(column)") }
    for column in ["coded", "marks", "links", "gaps"] { #expect(types[column] == "jsonb", "\(column)") }
    let row = try query(
      "SELECT colors::text, prices[1]::text, encode(blobs[2], 'hex'), ratios[1]::text, levels[1]::text FROM SAMPLE WHERE number = 1"
    )
    #expect(row.text(0, 0) == #"{red,"b\"l,{}",red}"# && row.text(0, 3) == "0.1" && row.text(0, 4) == "9000000000")
    #expect(row.text(0, 1) == "-1234567890123456789012345678.0123456789" && row.text(0, 2) == "00ff5c22")
    try query(
      "UPDATE SAMPLE SET colors = array_append(colors, 'green'), prices = '{1.50}', blobs = ARRAY['\\x01'::bytea], ratios = '{0.25}' WHERE number = 4"
    )
    let read = try samples(container)[3]
    #expect(read.colors == [.green] && read.prices == [1.5] && read.blobs == [Data([1])] && read.ratios == [0.25])
  }

  @Test("What SQL writes beyond an element's type makes the array unreadable, as JSON does")
  func misfits() throws {
    let container = try open(Sample.self)
    let context = ModelContext(container)
    context.insert(try Self.filled(1))
    try context.save()
    try query("UPDATE SAMPLE SET colors = '{red,pink}', prices = '{Infinity}', blobs = '{NULL}', ratios = '{1,2}'")
    let read = try #require(try samples(container).first)
    #expect(read.colors.isEmpty && read.prices.isEmpty && read.blobs == nil && read.ratios == [1, 2])
  }

  @Test("Changes of several rows, and a batch update, write each row's own arrays; the history keeps a deleted one")
  func changes() throws {
    let container = try open(Sample.self)
    let context = ModelContext(container)
    for number in 0..<20 {
      let sample = Sample(number)
      sample.colors = Array(repeating: .blue, count: number)
      sample.blobs = number % 3 == 0 ? nil : (0..<number).map { Data(repeating: UInt8($0), count: $0) }
      context.insert(sample)
    }
    try context.save()
    for sample in try context.fetch(FetchDescriptor<Sample>()) where sample.number % 2 == 0 {
      sample.colors.append(.red)
      sample.prices = [Decimal(sample.number) / 10, 1]
      sample.ratios = [Float(sample.number) / 3]
    }
    try context.save()
    for sample in try samples(container) {
      let (number, isChanged) = (sample.number, sample.number % 2 == 0)
      #expect(sample.colors == Array(repeating: .blue, count: number) + (isChanged ? [.red] : []))
      #expect(sample.blobs == (number % 3 == 0 ? nil : (0..<number).map { Data(repeating: UInt8($0), count: $0) }))
      #expect(sample.prices == (isChanged ? [Decimal(number) / 10, 1] : []))
      #expect(sample.ratios == (isChanged ? [Float(number) / 3] : []))
    }
    let other = ModelContext(container)
    try other.update(model: Sample.self, where: #Predicate { $0.number > 14 }) { samples in
      samples.set(\.colors, to: [.green])
      samples.set(\.prices, to: [0.1])
      samples.set(\.blobs, to: [Data([7])])
      samples.set(\.ratios, to: [])
    }
    try other.save()
    for sample in try samples(container) where sample.number > 14 {
      #expect(sample.colors == [.green] && sample.prices == [0.1] && sample.blobs == [Data([7])] && sample.ratios == [])
    }
    let third = ModelContext(container)
    third.delete(try #require(try third.fetch(FetchDescriptor<Sample>(predicate: #Predicate { $0.number == 4 })).first))
    try third.save()
    let deletions = try third.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes).compactMap
    {
      if case .delete(let change) = $0 { change as? DefaultHistoryDelete<Sample> } else { nil }
    }
    #expect(deletions.first?.tombstone[\.colors] as? [Color] == [.blue, .blue, .blue, .blue, .red])
    #expect(deletions.first?.tombstone[\.prices] as? [Decimal] == [0.4, 1])
  }

  @Test("The server decides about elements; its answer is that of memory")
  func elements() throws {
    let container = try open(Sample.self)
    let context = ModelContext(container)
    var random = SplitMix(seed: 12)
    let colors = [Color.red, .green, .blue]
    let prices = [0, 0.1, 12.5, -3, Decimal.nan, Decimal(sign: .plus, exponent: -1, significand: 125)]
    let blobs = [Data(), Data([1]), Data([1, 0])]
    let ratios = [0, -0.0, 0.1, .infinity, Float.nan, 16_777_216]
    var all: [Sample] = []
    for number in 0..<40 {
      let sample = Sample(number)
      func some<Value>(_ values: [Value]) -> [Value] {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in values[Int.random(in: 0..<values.count, using: &random)]
        }
      }
      (sample.colors, sample.prices, sample.ratios) = (some(colors), some(prices), some(ratios))
      sample.blobs = number % 4 == 0 ? nil : some(blobs)
      sample.levels = some([.low, .high])
      sample.ratio = ratios[number % 4]
      sample.color = number % 5 == 0 ? nil : colors[number % 3]
      context.insert(sample)
      all.append(sample)
    }
    try context.save()
    var isDecided = true
    func check(_ predicate: Predicate<Sample>, _ line: Int = #line) throws {
      let descriptor = FetchDescriptor<Sample>(predicate: predicate, sortBy: [SortDescriptor(\.number)])
      let found = try ModelContext(container).fetch(descriptor).map(\.number)
      let expected = try all.filter { try predicate.evaluate($0) }.map(\.number)
      #expect(found == expected, "line \(line)")
      let lowering = try PredicateLowering(
        predicate, resolver: StoreResolver(store: try #require(container.core.stores.first)))
      #expect(lowering.remainder.isEmpty == isDecided, "line \(line)")
    }
    for color in colors { try check(#Predicate { $0.colors.contains(color) }) }
    for price in prices { try check(#Predicate { $0.prices.contains(price) }) }
    for blob in blobs {
      try check(#Predicate { $0.blobs?.contains(blob) == true })
      try check(#Predicate { $0.blobs?.contains(blob) == nil })
    }
    for ratio in ratios { try check(#Predicate { $0.ratios.contains(ratio) }) }
    let (low, noBytes, empty, red) = (Level.low, Data(), [Data()], [Color.red])
    try check(#Predicate { $0.levels.contains(low) && !$0.prices.isEmpty && $0.ratios.count < 3 })
    try check(#Predicate { ($0.blobs ?? empty).contains(noBytes) })
    try check(#Predicate { $0.ratios.contains($0.ratio) })
    isDecided = false
    try check(#Predicate { $0.colors == red })
  }

  @Test(
    "A store whose arrays are JSON or bytes opens as it is, and keeps them",
    arguments: [AttributeContents?.none, .archive])
  func formerStore(_ contents: AttributeContents?) throws {
    let container = try openFormer(Sample.self, contents)
    let context = ModelContext(container)
    let sample = try Self.filled(1)
    sample.ratios.removeLast()
    context.insert(sample)
    try context.save()
    Self.expectEqual(try #require(try samples(container).first), sample)
    for column in Self.types.keys { #expect(try types()[column] == (contents == nil ? "bytea" : "jsonb"), "\(column)") }
    Self.expectEqual(try #require(try samples(try open(Sample.self)).first), sample)
    let red = Color.red
    let found = FetchDescriptor<Sample>(predicate: #Predicate { $0.colors.contains(red) })
    #expect(try ModelContext(container).fetchCount(found) == 1)
  }

  @Model final class Card {
    @Attribute(.unique) var prices: [Decimal]
    #Unique<Card>([\.ratios, \.blobs])
    var ratios: [Float]
    var blobs: [Data]
    var note: String
    init(_ prices: [Decimal], _ ratios: [Float], _ blobs: [Data], note: String) {
      (self.prices, self.ratios, self.blobs, self.note) = (prices, ratios, blobs, note)
    }
  }

  @Test("A unique array is found by its value")
  func unique() throws {
    let container = try open(Card.self)
    for note in ["1", "2"] {
      let context = ModelContext(container)
      context.insert(Card([1, 2], [note == "1" ? 0 : -0.0], [Data([1])], note: note))
      context.insert(
        Card([note == "1" ? 12.5 : Decimal(sign: .plus, exponent: -2, significand: 1250)], [], [], note: note))
      try context.save()
    }
    let cards = try ModelContext(container).fetch(FetchDescriptor<Card>())
    #expect(cards.count == 2 && cards.allSatisfy { $0.note == "2" })
  }

  @Test("A file's arrays become array columns if their type tells the elements, and come back with equal dumps")
  func copies() throws {
    let world = try TransferWorld()
    let samples = [try Self.filled(1), Sample(2)]
    let container = try ModelContainer(
      for: Schema([Sample.self]), configurations: ModelConfiguration(url: world.folder.url))
    let context = ModelContext(container)
    for sample in samples { context.insert(sample) }
    try context.save()
    let file = try PersistentStore.open(at: world.folder.url, options: StoreOptions(isReadOnly: true))
    defer { file.close() }
    _ = try world.send(file)
    let rows = try #require(TestServer.shared).connect().run(
      "SELECT pg_typeof(prices)::text, pg_typeof(blobs)::text, pg_typeof(ratios)::text, pg_typeof(colors)::text FROM \"\(world.options.schema)\".sample"
    )
    #expect(rows.text(0, 0) == "numeric[]" && rows.text(0, 1) == "bytea[]" && rows.text(0, 2) == "real[]")
    // The file's model names the enumeration, not what it encodes.
    #expect(rows.text(0, 3) == "jsonb")
    let opened = try TestEngine.postgreSQL.container(Schema([Sample.self]), world.folder)
    let read = try ModelContext(opened).fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.number)]))
    try #require(read.count == 2)
    for (read, sample) in zip(read, samples) { Self.expectEqual(read, sample) }
    let back = try world.fetch()
    defer { back.store.close() }
    let difference = difference(try TransferWorld.dump(file), try TransferWorld.dump(back.store))
    #expect(difference == nil, "\(difference ?? "")")
  }

  @Test("A store of such columns comes into a file, and back to a server with equal dumps")
  func copiesBack() throws {
    let world = try TransferWorld()
    let container = try TestEngine.postgreSQL.container(Schema([Sample.self]), world.folder)
    let context = ModelContext(container)
    let sample = try Self.filled(1)
    context.insert(sample)
    try context.save()
    let first = try world.fetch()
    defer { first.store.close() }
    let other = try TransferWorld()
    _ = try other.send(first.store)
    let second = try other.fetch()
    defer { second.store.close() }
    let difference = difference(try TransferWorld.dump(first.store), try TransferWorld.dump(second.store))
    #expect(difference == nil, "\(difference ?? "")")
    let file = try ModelContainer(
      for: Schema([Sample.self]),
      configurations: ModelConfiguration(url: world.folder.folder.appendingPathComponent("back.store")))
    Self.expectEqual(try #require(try ModelContext(file).fetch(FetchDescriptor<Sample>()).first), sample)
  }
}

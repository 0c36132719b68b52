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

@Suite("Array columns in a PostgreSQL store", TestServer.condition)
struct ArrayColumnTests: SampleTableSuite {
  @Model final class Sample {
    var number: Int
    var name: String = ""
    @Attribute(.preserveValueOnDeletion) var tags: [String] = []
    var counts: [Int]?
    var small: [Int16] = []
    var middle: [Int32] = []
    var long: [Int64] = []
    var ratios: [Double] = []
    var flags: [Bool] = []
    var dates: [Date] = []
    var codes: [UUID] = []
    var wide: [UInt64] = []
    var gaps: [String?] = []
    var kinds: Set<String> = []

    init(_ number: Int) { self.number = number }
  }

  static let code = UUID(uuid: (0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255))
  static let moment = Date(timeIntervalSinceReferenceDate: 700_000_000.25)

  static func filled(_ number: Int) -> Sample {
    let sample = Sample(number)
    sample.name = "a"
    sample.tags = ["a", "", "ü\"\\\n\u{1}{},NULL", "NULL", "null", " x ", "caf\u{65}\u{301}"]
    sample.counts = [.min, 0, .max]
    sample.small = [.min, .max]
    sample.middle = [.min, .max]
    sample.long = [.min, .max]
    sample.ratios = [
      0.1, -0.0, 1, 1e300, .leastNonzeroMagnitude, .infinity, -.infinity, 1e16, .greatestFiniteMagnitude,
      Double(bitPattern: 0xFFF8_0000_0000_1234),
    ]
    sample.flags = [true, false]
    sample.dates = [moment, .distantPast, .distantFuture]
    sample.codes = [code, UUID()]
    sample.wide = [.max]
    sample.gaps = ["x", nil]
    sample.kinds = ["red"]
    return sample
  }

  static func expectEqual(_ read: Sample, _ sample: Sample) {
    #expect(read.tags.map { Array($0.utf8) } == sample.tags.map { Array($0.utf8) })
    #expect(read.counts == sample.counts && read.small == sample.small && read.middle == sample.middle)
    #expect(read.long == sample.long && read.flags == sample.flags && read.dates == sample.dates)
    #expect(read.ratios.map(\.bitPattern) == sample.ratios.map(\.bitPattern))
    #expect(read.codes == sample.codes && read.wide == sample.wide && read.gaps == sample.gaps)
    #expect(read.kinds == sample.kinds)
  }

  let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  private func samples(_ container: ModelContainer) throws -> [Sample] {
    try ModelContext(container).fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.number)]))
  }

  @Test("Arrays of plain values are array columns that SQL reads and writes, and come back unchanged")
  func values() throws {
    let container = try open(Sample.self)
    let context = ModelContext(container)
    let all = [Self.filled(1), Sample(2), Self.filled(3), Sample(4)]
    all[3].tags = ["only"]
    for sample in all { context.insert(sample) }
    try context.save()
    for (read, sample) in zip(try samples(container), all) { Self.expectEqual(read, sample) }
    let types = try types()
    #expect(types["tags"] == "text[]" && types["counts"] == "bigint[]" && types["small"] == "smallint[]")
    #expect(types["middle"] == "integer[]" && types["long"] == "bigint[]" && types["flags"] == "boolean[]")
    #expect(types["ratios"] == "double precision[]" && types["codes"] == "uuid[]")
    #expect(types["dates"] == "timestamp with time zone[]")
    #expect(types["wide"] == "jsonb" && types["gaps"] == "jsonb" && types["kinds"] == "jsonb")
    let row = try query(
      "SELECT tags[1], counts[3]::text, (SELECT counts IS NULL FROM SAMPLE WHERE number = 2)::text, codes[1]::text, (SELECT tags::text FROM SAMPLE WHERE number = 2) FROM SAMPLE WHERE number = 1"
    )
    #expect(row.text(0, 0) == "a" && row.text(0, 1) == "9223372036854775807" && row.text(0, 2) == "true")
    #expect(row.text(0, 3) == Self.code.uuidString.lowercased() && row.text(0, 4) == "{}")
    try query(
      "UPDATE SAMPLE SET tags = array_append(tags, 'new'), flags = '{f}', long = '[5:6]={7,8}' WHERE number = 4")
    let read = try samples(container)[3]
    #expect(read.tags == ["only", "new"] && read.flags == [false] && read.long == [7, 8])
  }

  @Test("Changes of several rows write each row's own arrays; the history keeps a deleted one")
  func changes() throws {
    let container = try open(Sample.self)
    let context = ModelContext(container)
    for number in 0..<20 {
      let sample = Sample(number)
      sample.tags = (0..<number).map { "t\($0)" }
      sample.counts = number % 3 == 0 ? nil : Array(0..<number)
      context.insert(sample)
    }
    try context.save()
    for sample in try context.fetch(FetchDescriptor<Sample>()) where sample.number % 2 == 0 {
      sample.tags.append("more")
      sample.counts = sample.counts.map { $0 + [-1] } ?? []
    }
    try context.save()
    let read = try samples(container)
    for sample in read {
      let number = sample.number
      let former = number % 3 == 0 ? nil : Array(0..<number)
      #expect(sample.tags == (0..<number).map { "t\($0)" } + (number % 2 == 0 ? ["more"] : []))
      #expect(sample.counts == (number % 2 == 0 ? former.map { $0 + [-1] } ?? [] : former))
    }
    let other = ModelContext(container)
    let last = try #require(try other.fetch(FetchDescriptor<Sample>(predicate: #Predicate { $0.number == 4 })).first)
    let kept = last.tags
    other.delete(last)
    try other.save()
    let deletions = try other.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes).compactMap
    {
      if case .delete(let change) = $0 { change as? DefaultHistoryDelete<Sample> } else { nil }
    }
    #expect(deletions.first?.tombstone[\.tags] as? [String] == kept)
  }

  @Test("An element that a column of its type does not keep is refused, with entity and property")
  func refused() throws {
    for (property, words, spoil) in [
      ("tags", "NUL", { $0.tags = ["a\0"] }),
      ("dates", "date", { $0.dates = [Date(timeIntervalSinceReferenceDate: 1e14)] }),
    ] as [(String, String, (Sample) -> Void)] {
      let container = try open(Sample.self)
      let context = ModelContext(container)
      let sample = Self.filled(1)
      spoil(sample)
      context.insert(sample)
      let error = try #require(#expect(throws: SwiftDataError.self) { try context.save() })
      #expect("\(error)".contains("Sample") && "\(error)".contains(property) && "\(error)".contains(words), "\(error)")
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Sample>()) == 0)
    }
  }

  @Test(
    "A store whose arrays are JSON or bytes opens as it is, and keeps them",
    arguments: [AttributeContents?.none, .archive])
  func formerStore(_ contents: AttributeContents?) throws {
    let container = try openFormer(Sample.self, contents)
    let context = ModelContext(container)
    let sample = Self.filled(1)
    sample.ratios.removeLast()
    context.insert(sample)
    try context.save()
    Self.expectEqual(try #require(try samples(container).first), sample)
    #expect(try types()["tags"] == (contents == nil ? "bytea" : "jsonb"))
    Self.expectEqual(try #require(try samples(try open(Sample.self)).first), sample)
    let found = FetchDescriptor<Sample>(
      predicate: #Predicate { $0.tags.contains("NULL") && $0.counts?.contains(0) == true })
    #expect(try ModelContext(container).fetchCount(found) == 1)
  }

  @Model final class Card {
    @Attribute(.unique) var tags: [String]
    var note: String
    init(_ tags: [String], note: String) {
      self.tags = tags
      self.note = note
    }
  }

  @Model final class Measure {
    #Unique<Measure>([\.numbers, \.ratios])
    var numbers: [Int]
    var ratios: [Double]
    var note: String
    init(_ numbers: [Int], _ ratios: [Double], note: String) {
      self.numbers = numbers
      self.ratios = ratios
      self.note = note
    }
  }

  @Test("A unique array is found by its value")
  func unique() throws {
    let container = try open(Card.self, Measure.self)
    for note in ["1", "2"] {
      let context = ModelContext(container)
      for tags in [["a", "b\""], ["a"], []] { context.insert(Card(tags, note: note)) }
      context.insert(Measure([1, 2], [note == "1" ? 0.0 : -0.0], note: note))
      context.insert(Measure([1], [], note: note))
      try context.save()
    }
    let context = ModelContext(container)
    let (cards, measures) = try (context.fetch(FetchDescriptor<Card>()), context.fetch(FetchDescriptor<Measure>()))
    #expect(cards.count == 3 && cards.allSatisfy { $0.note == "2" })
    #expect(measures.count == 2 && measures.allSatisfy { $0.note == "2" })
  }

  // MARK: Conditions

  @Test("The server decides about elements; its answer is that of memory")
  func elements() throws {
    let container = try open(Sample.self)
    let context = ModelContext(container)
    var random = SplitMix(seed: 11)
    let words = ["a", "b", "caf\u{E9}", "cafe\u{301}", "", "K", "\u{212A}", "x\"y"]
    var all: [Sample] = []
    for number in 0..<60 {
      let sample = Sample(number)
      func some<Value>(_ values: [Value]) -> [Value] {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in values[Int.random(in: 0..<values.count, using: &random)]
        }
      }
      sample.name = words[number % words.count]
      sample.tags = some(words)
      sample.counts = number % 4 == 0 ? nil : some([-1, 0, 1, number])
      sample.small = some([0, 1, .max])
      sample.middle = some([0, 1, .max])
      sample.ratios = some([0.0, -0.0, 1.5, .nan, .infinity])
      sample.flags = some([true, false])
      sample.dates = some([Self.moment, .distantPast])
      sample.codes = some([Self.code, UUID()])
      sample.kinds = Set(some(words))
      context.insert(sample)
      all.append(sample)
    }
    try context.save()
    let (code, moment, long) = (Self.code, Self.moment, String(repeating: "\u{E9}", count: 40))
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
    for word in words + ["nothing", "a\0", long] {
      try check(#Predicate { $0.tags.contains(word) })
      try check(#Predicate { !$0.tags.contains(word) || $0.number < 5 })
    }
    for number in [-1, 0, 7, .max] {
      try check(#Predicate { $0.counts?.contains(number) == true })
      try check(#Predicate { $0.counts?.contains(number) != true })
      try check(#Predicate { $0.counts?.contains(number) == nil })
      try check(#Predicate { $0.counts?.contains(number) ?? true })
      try check(#Predicate { ($0.counts ?? []).contains(number) })
      try check(#Predicate { ($0.counts ?? [7]).contains(number) == false })
      try check(#Predicate { $0.counts != nil && $0.counts!.contains(number) })
    }
    try check(#Predicate { $0.small.contains(32767) && !$0.middle.contains(1) })
    for ratio in [0.0, -0.0, 1.5, Double.nan, .infinity] { try check(#Predicate { $0.ratios.contains(ratio) }) }
    for flag in [true, false] { try check(#Predicate { $0.flags.contains(flag) }) }
    try check(#Predicate { $0.dates.contains(moment) || $0.codes.contains(code) })
    try check(#Predicate { $0.tags.contains($0.name) })
    try check(#Predicate { !$0.tags.contains($0.name) })
    try check(#Predicate { $0.counts != nil && $0.counts!.contains($0.number) })
    try check(#Predicate { $0.tags.isEmpty })
    try check(#Predicate { !$0.tags.isEmpty && $0.small.count > 1 })
    try check(#Predicate { ($0.counts.flatMap { $0.count } ?? 9) == 9 })
    isDecided = false
    try check(#Predicate { $0.kinds.contains("a") })
    try check(#Predicate { $0.tags == ["a"] })
    try check(#Predicate { $0.tags.contains { $0 == "a" } })
    try check(#Predicate { $0.kinds.isEmpty })
  }

  @Test("An index of the kind GIN serves a search for an element")
  func index() throws {
    let container = try open(Sample.self)
    let context = ModelContext(container)
    context.insert(Self.filled(1))
    try context.save()
    try query("CREATE INDEX ON SAMPLE USING gin (tags)")
    var options = ServerOptions()
    options.schema = store.databaseSchema
    let engine = try ServerStore.open(
      try #require(TestServer.shared).address, options: options, model: Schema([Sample.self]).lowered())
    let tags = FetchExpression.attribute(FetchPath(), name: "tags", element: [])
    #expect(engine.decides(.contains(tags, element: .constant(.text("a"))), entityName: "Sample"))
    #expect(!engine.sorts(by: SortTerm(expression: tags), entityName: "Sample"))
    let connection = try #require(TestServer.shared).connect()
    try connection.execute("SET enable_seqscan = off")
    let plan = try connection.column(
      "EXPLAIN SELECT 1 FROM \"\(store.databaseSchema)\".sample t0 WHERE (t0.tags && $1)", [.texts(["a"])])
    #expect(plan.contains { $0.contains("sample_tags_idx") }, "\(plan)")
  }
}

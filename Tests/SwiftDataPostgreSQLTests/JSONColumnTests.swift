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

@Suite("Columns of JSON in a PostgreSQL store", TestServer.condition)
struct JSONColumnTests {
  struct Part: Codable, Hashable {
    var code: UUID?
    var name: String
    var size: Double?
  }

  /// A payload with a value that has no label is JSON.
  enum Event: Codable, Equatable {
    case none
    case moved(Int, y: Double?)
  }

  struct Box: Codable, Equatable {
    var label: String
    var parts: [Part]
  }

  struct Sheet: Codable, Equatable {
    var title: String
    var number: UInt64
    var ratio: Double
    var made: Date
    var price: Decimal
    var bytes: Data
    var deep: [String: [Int?]]
    var link: URL?
  }

  @Model final class Thing {
    var number: Int
    @Attribute(.preserveValueOnDeletion) var tags: [String?] = []
    var counts: [Int?]?
    var wide: [UInt64] = []
    var ratios: [Double?] = []
    var dates: [Date?] = []
    var prices: [Decimal] = []
    var blobs: [Data] = []
    var codes: [UUID?] = []
    var links: [URL] = []
    var gaps: [String?] = []
    var kinds: Set<String> = []
    var sizes: [String: Double] = [:]
    var names: [Int: [String]] = [:]
    var parts: [Part] = []
    var event: Event = JSONColumnTests.Event.none
    var box: Box?
    @Attribute(.codable) var sheet: Sheet?

    init(_ number: Int) { self.number = number }
  }

  static func filled(_ number: Int) throws -> Thing {
    let thing = Thing(number)
    thing.tags = ["a", "", "ü\"\\\n\u{1}", "$date"]
    thing.counts = [.min, 0, .max]
    thing.wide = [.max, 0]
    thing.ratios = [0.1, -0.0, 1, 1e300, .leastNonzeroMagnitude, .infinity, 1e16, .greatestFiniteMagnitude]
    thing.dates = [Date(timeIntervalSinceReferenceDate: 700_000_000.123456789), .distantPast]
    thing.prices = [try #require(Decimal(string: "-1234567890123456789012345678.0123456789")), 0, .nan]
    thing.blobs = [Data(), Data([0, 255])]
    thing.codes = [UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")]
    thing.links = [try #require(URL(string: "https://example.org/a?b=c"))]
    thing.gaps = ["x", nil]
    thing.kinds = ["red", "blue"]
    thing.sizes = ["$bytes": 1, "$$": 2.5, "plain": -3]
    thing.names = [7: ["seven"], -1: []]
    thing.parts = [Part(code: thing.codes[0], name: "bolt", size: 2), Part(name: "nut")]
    thing.event = .moved(3, y: nil)
    thing.box = Box(label: "B", parts: [Part(name: "pin", size: 0.5)])
    thing.sheet = Sheet(
      title: "$bytes", number: .max, ratio: 1e300, made: Date(timeIntervalSinceReferenceDate: 700_000_000.123456789),
      price: try #require(Decimal(string: "12345678901234567890.5")), bytes: Data([1, 2]),
      deep: ["k": [1, nil], "": []], link: URL(string: "https://example.org"))
    return thing
  }

  static func expectEqual(_ read: Thing, _ thing: Thing) {
    #expect(read.tags == thing.tags && read.counts == thing.counts && read.wide == thing.wide)
    #expect(read.ratios.map { $0?.bitPattern } == thing.ratios.map { $0?.bitPattern })
    #expect(read.dates == thing.dates && read.blobs == thing.blobs && read.codes == thing.codes)
    #expect(read.prices.map(\.description) == thing.prices.map(\.description))
    #expect(read.links == thing.links && read.gaps == thing.gaps && read.kinds == thing.kinds)
    #expect(read.sizes == thing.sizes && read.names == thing.names && read.parts == thing.parts)
    #expect(read.event == thing.event && read.box == thing.box && read.sheet == thing.sheet)
  }

  let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  private func open(_ types: any PersistentModel.Type...) throws -> ModelContainer {
    try TestEngine.postgreSQL.container(Schema(types), store)
  }

  private func first<Model: PersistentModel>(_ container: ModelContainer, _ type: Model.Type) throws -> Model {
    try #require(try ModelContext(container).fetch(FetchDescriptor<Model>()).first)
  }

  /// The first value that a query gives, as text.
  private func text(_ expression: String, from table: String = "thing") throws -> String? {
    try #require(TestServer.shared).connect()
      .run("SELECT (\(expression))::text FROM \"\(store.databaseSchema)\".\(table) ORDER BY _id").text(0, 0)
  }

  private func type(of column: String, in table: String = "thing") throws -> String? {
    let relation = "'\"\(store.databaseSchema)\".\(table)'::regclass"
    return try text(
      "SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = \(relation) AND attname = '\(column)'",
      from: table)
  }

  @Test("Collections and encoded values are JSON that SQL reads, and come back unchanged")
  func values() throws {
    let container = try open(Thing.self)
    let context = ModelContext(container)
    let thing = try Self.filled(1)
    context.insert(thing)
    context.insert(Thing(2))
    try context.save()
    let read = try ModelContext(container).fetch(FetchDescriptor<Thing>(sortBy: [SortDescriptor(\.number)]))
    try #require(read.count == 2)
    Self.expectEqual(read[0], thing)
    Self.expectEqual(read[1], Thing(2))
    for column in ["tags", "counts", "kinds", "sizes", "parts", "event_moved", "box_parts", "sheet"] {
      #expect(try type(of: column) == "jsonb", "\(column)")
    }
    #expect(try text("tags->>0") == "a")
    #expect(try text("counts") == "[-9223372036854775808, 0, 9223372036854775807]")
    #expect(try text("wide->0") == "18446744073709551615")
    #expect(try text("sizes->>'plain'") == "-3.0")
    #expect(try text("parts->0->>'name'") == "bolt")
    #expect(try text("codes->0->>'$uuid'") == "00112233-4455-6677-8899-AABBCCDDEEFF")
    #expect(try text("kinds->'$set' ? 'red'") == "true")
    #expect(try text("event_moved->>'_0'") == "3")
    #expect(try text("box_parts->0->>'name'") == "pin")
    #expect(try text("sheet->>'title'") == "$bytes")
    #expect(try text("sheet->'deep'->'k'->0") == "1")
  }

  @Test("What SQL writes into a column of JSON is read as the value that it stands for")
  func written() throws {
    let container = try open(Thing.self)
    let context = ModelContext(container)
    context.insert(try Self.filled(1))
    try context.save()
    let connection = try #require(TestServer.shared).connect()
    _ = try connection.run(
      "UPDATE \"\(store.databaseSchema)\".thing SET tags = tags || '[\"new\"]', sizes = '{\"a\": 1}', counts = '\"wrong\"', sheet = sheet || '{\"title\": \"T\"}'"
    )
    let read = try first(container, Thing.self)
    #expect(read.tags.last == "new" && read.sizes == ["a": 1] && read.sheet?.title == "T")
    #expect(read.counts == nil)
  }

  @Test("A text with a NUL character in a collection or an encoded value is refused, with entity and property")
  func nul() throws {
    for (property, spoil) in [
      ("tags", { $0.tags = ["a\0"] }), ("sizes", { $0.sizes = ["a\0": 1] }), ("sheet", { $0.sheet?.title = "\0" }),
    ] as [(String, (Thing) -> Void)] {
      let container = try open(Thing.self)
      let context = ModelContext(container)
      let thing = try Self.filled(1)
      spoil(thing)
      context.insert(thing)
      let error = try #require(#expect(throws: SwiftDataError.self) { try context.save() })
      #expect("\(error)".contains("Thing") && "\(error)".contains(property) && "\(error)".contains("NUL"), "\(error)")
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Thing>()) == 0)
    }
  }

  @Test("The server decides only whether such a value is there; the history keeps a deleted value")
  func conditions() throws {
    let container = try open(Thing.self)
    let context = ModelContext(container)
    context.insert(try Self.filled(1))
    context.insert(Thing(2))
    try context.save()
    let fresh = ModelContext(container)
    #expect(try fresh.fetchCount(FetchDescriptor<Thing>(predicate: #Predicate { $0.counts == nil })) == 1)
    var options = ServerOptions()
    options.schema = store.databaseSchema
    let engine = try ServerStore.open(
      try #require(TestServer.shared).address, options: options, model: Schema([Thing.self]).lowered())
    let tags = FetchExpression.attribute(FetchPath(), name: "tags", element: [])
    #expect(!engine.decides(.comparison(.equal, tags, .constant(.blob(Data()))), entityName: "Thing"))
    #expect(!engine.decides(.comparison(.less, tags, .constant(.blob(Data()))), entityName: "Thing"))
    #expect(engine.decides(.isNull(tags), entityName: "Thing"))
    #expect(!engine.sorts(by: SortTerm(expression: tags), entityName: "Thing"))
    let thing = try #require(try fresh.fetch(FetchDescriptor<Thing>(predicate: #Predicate { $0.number == 1 })).first)
    let kept = thing.tags
    fresh.delete(thing)
    try fresh.save()
    let deletions = try fresh.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes).compactMap
    {
      if case .delete(let change) = $0 { change as? DefaultHistoryDelete<Thing> } else { nil }
    }
    #expect(deletions.first?.tombstone[\.tags] as? [String?] == kept)
  }

  @Test("The kind of contents changes no version hash, and no archive of a model")
  func hashes() throws {
    let model = try Schema([Thing.self]).lowered()
    let plain = model.mappingAttributes { attribute, _ in attribute.withoutContents }
    #expect(try VersionHashes(model) == VersionHashes(plain))
    #expect(model == plain)
    #expect(model.inferringContents().contents["Thing.tags"] == .archive)
    #expect(plain.contents.isEmpty && plain.inferringContents().contents["Thing.tags"] == .archive)
    #expect(model.contents["Thing.sheet"] == .json && model.contents["Thing.box"] == nil)
  }

  @Test("A store whose collections are bytes opens as it is, and keeps them")
  func formerStore() throws {
    let plain = try Schema([Thing.self]).lowered().mappingAttributes { attribute, _ in attribute.withoutContents }
    var options = ServerOptions()
    options.schema = store.databaseSchema
    _ = try ServerStore.open(try #require(TestServer.shared).address, options: options, model: plain)
    let container = try open(Thing.self)
    let context = ModelContext(container)
    let thing = try Self.filled(1)
    context.insert(thing)
    try context.save()
    Self.expectEqual(try first(container, Thing.self), thing)
    #expect(try type(of: "tags") == "bytea" && type(of: "sheet") == "bytea" && type(of: "box_parts") == "bytea")
    Self.expectEqual(try first(try open(Thing.self), Thing.self), thing)
  }
}

extension AttributeDescription {
  fileprivate var withoutContents: AttributeDescription {
    var result = self
    result.contents = nil
    result.elements = elements.map(\.withoutContents)
    return result
  }
}

extension ModelDescription {
  /// By the names of the entity and of the attribute.
  fileprivate var contents: [String: AttributeContents] {
    var found: [String: AttributeContents] = [:]
    for entity in entities {
      for case .attribute(let attribute) in entity.properties {
        found["\(entity.name).\(attribute.name)"] = attribute.contents
      }
    }
    return found
  }
}

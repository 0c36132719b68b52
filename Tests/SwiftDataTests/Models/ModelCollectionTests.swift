import CoreDataStore
import Foundation
import PropertyLists
import SQLite
import StoreRequests
import TestSupport
import Testing

@testable import SwiftData

enum CollectionKind: String, Codable { case plain, fancy }

struct CollectionPart: Codable, Hashable {
  var name: String
  var size: Int?
  var kinds: [CollectionKind] = []
}

@Model final class CollectionThing {
  var title: String = ""
  var tags: [String] = []
  var numbers: [Int]?
  var scores: [Double] = []
  var flags: [Bool] = []
  var days: [Date] = []
  var blobs: [Data] = []
  var identities: [UUID] = []
  var places: [URL] = []
  var prices: [Decimal] = []
  var kinds: [CollectionKind] = []
  var words: Set<String> = []
  var counts: [String: Int] = [:]
  var byNumber: [Int: String] = [:]
  var matrix: [[Double]] = []
  var gaps: [String?] = []
  var parts: [CollectionPart] = []
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var interests: [String]?
  @Attribute(.transformable) var anything: [String: [Int]]?
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var raw: Data?

  init(title: String) { self.title = title }
}

@Suite struct ModelCollectionTests {
  private func context(_ store: TemporaryStore) throws -> ModelContext {
    ModelContext(try ModelContainer(for: CollectionThing.self, configurations: ModelConfiguration(url: store.url)))
  }

  private func filled() -> CollectionThing {
    let thing = CollectionThing(title: "all")
    thing.tags = ["b", "a", "é", "e\u{301}", "b"]
    thing.numbers = [.min, -1, 0, .max]
    thing.scores = [0.1, -0.0, .infinity]
    thing.flags = [true, false]
    thing.days = [Date(timeIntervalSinceReferenceDate: 1.25)]
    thing.blobs = [Data(), Data([1, 0])]
    thing.identities = [UUID(), UUID()]
    if let base = URL(string: "https://example.org/a/"), let page = URL(string: "b?c#d", relativeTo: base) {
      thing.places = [base, page]
    }
    thing.prices = [Decimal(string: "-12.34") ?? 0, 0]
    thing.kinds = [.fancy, .plain]
    thing.words = ["x", "y", "z"]
    thing.counts = ["one": 1, "two": 2]
    thing.byNumber = [2: "two", 1: "one"]
    thing.matrix = [[1, 2], [], [3]]
    thing.gaps = ["a", nil]
    thing.parts = [CollectionPart(name: "p", size: nil, kinds: [.plain]), CollectionPart(name: "q", size: 4)]
    thing.interests = ["chess"]
    thing.anything = ["a": [1], "b": []]
    thing.raw = Data([7])
    return thing
  }

  @Test func `CD-5 Collections of every kind of element are saved and read back`() throws {
    let store = try TemporaryStore()
    let thing = filled()
    let writer = try context(store)
    writer.insert(thing)
    try writer.save()
    let read = try #require(try context(store).fetch(FetchDescriptor<CollectionThing>()).first)
    #expect(read.tags.map { Array($0.utf8) } == thing.tags.map { Array($0.utf8) })
    #expect(read.numbers == thing.numbers)
    #expect(read.scores.map(\.bitPattern) == thing.scores.map(\.bitPattern))
    #expect(read.flags == thing.flags)
    #expect(read.days == thing.days)
    #expect(read.blobs == thing.blobs)
    #expect(read.identities == thing.identities)
    #expect(read.places == thing.places)
    #expect(read.places.last?.absoluteString == "https://example.org/a/b?c#d")
    #expect(read.prices == thing.prices)
    #expect(read.kinds == thing.kinds)
    #expect(read.words == thing.words)
    #expect(read.counts == thing.counts)
    #expect(read.byNumber == thing.byNumber)
    #expect(read.matrix == thing.matrix)
    #expect(read.gaps == thing.gaps)
    #expect(read.parts == thing.parts)
    #expect(read.interests == thing.interests)
    #expect(read.anything == thing.anything)
    #expect(read.raw == thing.raw)
  }

  @Test func `CD-5 Empty collections are archives, and nil is NULL`() throws {
    let store = try TemporaryStore()
    let writer = try context(store)
    writer.insert(CollectionThing(title: "empty"))
    try writer.save()
    let read = try #require(try context(store).fetch(FetchDescriptor<CollectionThing>()).first)
    #expect(read.tags == [] && read.counts == [:] && read.words == [] && read.numbers == nil && read.interests == nil)
    #expect(try bytes("ZNUMBERS", in: store) == nil)
    #expect(try bytes("ZINTERESTS", in: store) == nil)
    #expect(try ArchivedValue(archive: #require(try bytes("ZTAGS", in: store))) == .list([]))
    #expect(try ArchivedValue(archive: #require(try bytes("ZCOUNTS", in: store))) == .dictionary([]))
    #expect(try ArchivedValue(archive: #require(try bytes("ZWORDS", in: store))) == .list([], .set))
  }

  @Test func `CD-5 Columns hold keyed archives of the classes that Apple's frameworks use`() throws {
    let store = try TemporaryStore()
    let writer = try context(store)
    writer.insert(filled())
    try writer.save()
    let expected = [
      "ZTAGS": "NSArray", "ZNUMBERS": "NSArray", "ZSCORES": "NSArray", "ZFLAGS": "NSArray", "ZDAYS": "NSArray NSDate",
      "ZBLOBS": "NSArray", "ZIDENTITIES": "NSArray NSUUID", "ZPLACES": "NSArray NSURL", "ZKINDS": "NSArray",
      "ZPRICES": "NSArray NSDecimalNumberPlaceholder", "ZWORDS": "NSSet", "ZCOUNTS": "NSDictionary",
      "ZBYNUMBER": "NSDictionary", "ZMATRIX": "NSArray", "ZGAPS": "NSArray NSNull", "ZPARTS": "NSArray NSDictionary",
      "ZINTERESTS": "NSArray", "ZANYTHING": "NSArray NSDictionary",
    ]
    for (column, classes) in expected {
      let archive = try #require(try bytes(column, in: store))
      let list = try #require(
        try PropertyListSerialization.propertyList(from: archive, format: nil) as? [String: Any])
      #expect(list["$archiver"] as? String == "NSKeyedArchiver")
      #expect(list["$version"] as? Int == 100_000)
      #expect((list["$top"] as? [String: Any]).map { Array($0.keys) } == ["root"])
      let found = (list["$objects"] as? [Any] ?? []).compactMap { ($0 as? [String: Any])?["$classname"] as? String }
      #expect(found.sorted().joined(separator: " ") == classes, "\(column)")
    }
    #expect(
      try ArchivedValue(archive: #require(try bytes("ZBYNUMBER", in: store)))
        == .dictionary([
          .init(key: .integer(1), value: .string("one")), .init(key: .integer(2), value: .string("two")),
        ]))
    #expect(try bytes("ZRAW", in: store) == Data([7]))
  }

  @Test func `Values that Apple's framework writes in other forms are read`() throws {
    let store = try TemporaryStore()
    let writer = try context(store)
    writer.insert(CollectionThing(title: "theirs"))
    try writer.save()
    try set("ZTAGS", .list([.string("a", isMutable: true)], .mutableArray), in: store)
    try set("ZSCORES", .list([.integer(2), .real(0.5)]), in: store)
    try set("ZFLAGS", .list([.integer(1), .boolean(false)]), in: store)
    try set("ZWORDS", .list([.string("w")], .mutableSet), in: store)
    try set("ZCOUNTS", .dictionary([.init(key: .string("k"), value: .real(3))], isMutable: true), in: store)
    let read = try #require(try context(store).fetch(FetchDescriptor<CollectionThing>()).first)
    #expect(read.tags == ["a"])
    #expect(read.scores == [2, 0.5])
    #expect(read.flags == [true, false])
    #expect(read.words == ["w"])
    #expect(read.counts == ["k": 3])
  }

  /// Bytes that are not a `[String]`: of another type, no archive, JSON, a truncated archive, and an unknown class.
  static let unreadable: [Data] = {
    var car = try? ArchivedValue.dictionary([]).archived()
    while let name = car?.range(of: Data("NSDictionary".utf8)) {
      car?.replaceSubrange(name, with: Data("CarDashboard".utf8))
    }
    return [
      try? ArchivedValue.list([.integer(1)]).archived(), try? ArchivedValue.string("x").archived(), Data([1, 2, 3]),
      Data(#"["a"]"#.utf8), (try? ArchivedValue.list([.string("a")]).archived())?.dropLast(), car,
    ].compactMap(\.self)
  }()

  @Test(arguments: unreadable)
  func `A value that cannot be read is left byte for byte as it is when another property is saved`(data: Data) throws {
    let store = try TemporaryStore()
    let writer = try context(store)
    writer.insert(filled())
    try writer.save()
    try set("ZTAGS", data, in: store)
    try set("ZINTERESTS", data, in: store)

    let editor = try context(store)
    let thing = try #require(try editor.fetch(FetchDescriptor<CollectionThing>()).first)
    #expect(thing.tags == [])
    #expect(thing.interests == nil)
    thing.title = "changed"
    thing.numbers = [5]
    try editor.save()
    #expect(try bytes("ZTAGS", in: store) == data)
    #expect(try bytes("ZINTERESTS", in: store) == data)

    thing.tags = ["mine"]
    try editor.save()
    #expect(try bytes("ZINTERESTS", in: store) == data)
    let read = try #require(try context(store).fetch(FetchDescriptor<CollectionThing>()).first)
    #expect(read.title == "changed" && read.tags == ["mine"] && read.numbers == [5])
  }

  @Test func `All kinds of unreadable bytes are in the list`() { #expect(Self.unreadable.count == 6) }

  private func bytes(_ column: String, in store: TemporaryStore) throws -> Data? {
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    let statement = try connection.prepare("SELECT \(column) FROM ZCOLLECTIONTHING")
    #expect(try statement.step())
    var row = RowReader(statement, startingAt: 0)
    return row.blob()
  }

  private func set(_ column: String, _ value: ArchivedValue, in store: TemporaryStore) throws {
    try set(column, try value.archived(), in: store)
  }

  private func set(_ column: String, _ data: Data, in store: TemporaryStore) throws {
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    let statement = try connection.prepare("UPDATE ZCOLLECTIONTHING SET \(column) = ?1")
    var row = RowBinder(statement, startingAt: 1)
    try row.bind(data)
    #expect(try !statement.step())
  }
}

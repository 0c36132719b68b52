import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import SwiftData

enum ValueColor: Codable { case red, green, blue }
enum ValueOnly: Codable { case only }

enum ValueStatus: Codable, Equatable {
  case active
  case inactive(reason: String)
  case score(Double)
  case moved(to: URL, at: Date)
  case maybe(Int?)
  case tags([String])
}

struct ValueShape: Codable, Equatable {
  var name: String
  var sides: Int?
  var color: ValueKind
  var points: [Double]
  var home: URL
}

enum ValueKind: String, Codable { case round, square }

@Model final class ValueThing {
  var title: String
  var i8: Int8 = 0
  var i16: Int16 = 0
  var i32: Int32 = 0
  var i64: Int64 = 0
  var int: Int = 0
  var u8: UInt8 = 0
  var u16: UInt16 = 0
  var u32: UInt32 = 0
  var u64: UInt64 = 0
  var uint: UInt = 0
  var float: Float = 0
  var double: Double = 0
  var moment: Date = Date.distantPast
  var price: Decimal = 0
  var address: URL?
  var identity: UUID?
  var bytes: Data?
  var flag: Bool = false
  var color: ValueColor = ValueColor.green
  var other: ValueColor?
  var only: ValueOnly = ValueOnly.only
  var status: ValueStatus = ValueStatus.active
  var before: ValueStatus?
  var shape: ValueShape
  var kind: ValueKind
  var shapes: [ValueShape] = []
  @Attribute(.externalStorage) var image: Data?
  @Attribute(.codable) var parts: [String: Double] = [:]
  @Attribute(.transformable(by: "nobody's transformer")) var opaque: [Int]?

  init(title: String) {
    self.title = title
    shape = ValueShape(name: "s", color: .round, points: [1], home: URL(filePath: "/"))
    kind = .square
  }
}

@Suite struct ValueModelTests {
  private let store: TemporaryStore
  private let writer: ModelContext

  init() throws {
    store = try TemporaryStore()
    writer = ModelContext(
      try ModelContainer(for: ValueThing.self, configurations: ModelConfiguration(url: store.url)))
  }

  /// Keeps the contexts alive, whose objects the tests read.
  private final class Contexts { var all: [ModelContext] = [] }
  private let contexts = Contexts()

  private func things() throws -> [ValueThing] {
    let container = try ModelContainer(for: ValueThing.self, configurations: ModelConfiguration(url: store.url))
    let context = ModelContext(container)
    contexts.all.append(context)
    return try context.fetch(FetchDescriptor<ValueThing>(sortBy: [SortDescriptor(\.title)]))
  }

  private func saved(_ title: String = "t", _ change: (ValueThing) -> Void) throws -> ValueThing {
    let thing = ValueThing(title: title)
    change(thing)
    writer.insert(thing)
    try writer.save()
    return try #require(try things().last)
  }

  private func sql(_ text: String) throws -> [StoreValue] {
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    defer { connection.close() }
    let statement = try connection.prepare(text)
    guard try statement.step() else { return [] }
    var row = RowReader(statement, startingAt: 0)
    return (0..<statement.columnCount).map { _ in row.value() }
  }

  @Test func `CD-5 Numbers of every type come back from their bounds`() throws {
    let low = try saved("low") { thing in
      (thing.i8, thing.i16, thing.i32, thing.i64, thing.int) = (.min, .min, .min, .min, .min)
      (thing.float, thing.double) = (-.greatestFiniteMagnitude, -.infinity)
      thing.moment = Date(timeIntervalSinceReferenceDate: -1e15 - 0.5)
    }
    #expect(low.i8 == .min && low.i16 == .min && low.i32 == .min && low.i64 == .min && low.int == .min)
    #expect(low.float == -.greatestFiniteMagnitude && low.double == -.infinity)
    #expect(low.moment.timeIntervalSinceReferenceDate == -1e15 - 0.5)
    let top = try saved("top") { thing in
      (thing.i8, thing.i16, thing.i32, thing.i64, thing.int) = (.max, .max, .max, .max, .max)
      (thing.u8, thing.u16, thing.u32, thing.u64, thing.uint) = (.max, .max, .max, .max, .max)
      (thing.float, thing.double, thing.moment) = (.leastNonzeroMagnitude, .leastNonzeroMagnitude, .distantFuture)
    }
    #expect(top.i8 == .max && top.i16 == .max && top.i32 == .max && top.i64 == .max && top.int == .max)
    #expect(top.u8 == .max && top.u16 == .max && top.u32 == .max && top.u64 == .max && top.uint == .max)
    #expect(top.float == .leastNonzeroMagnitude && top.double == .leastNonzeroMagnitude && top.moment == .distantFuture)
  }

  @Test func `A save refuses NaN, and names the property and the object`() throws {
    let thing = ValueThing(title: "nan")
    thing.double = .nan
    writer.insert(thing)
    var error = #expect(throws: SwiftDataError.self) { try writer.save() }
    #expect(error == SwiftDataError.modelValidationFailure)
    #expect(error?.validationProblems.map(\.propertyName) == ["double"])
    #expect(error?.validationProblems.first?.identifier == thing.persistentModelID)
    thing.double = 1
    thing.moment = Date(timeIntervalSinceReferenceDate: .nan)
    error = #expect(throws: SwiftDataError.self) { try writer.save() }
    #expect(error?.validationProblems.map(\.propertyName) == ["moment"])
    thing.moment = .now
    thing.shape.points = [.nan]
    error = #expect(throws: SwiftDataError.self) { try writer.save() }
    #expect(error?.validationProblems.map(\.propertyName) == ["shape"])
    thing.shape.points = []
    thing.status = .score(.nan)
    error = #expect(throws: SwiftDataError.self) { try writer.save() }
    #expect(error?.validationProblems.map(\.propertyName) == ["status"])
    thing.status = .active
    thing.price = Decimal(sign: .plus, exponent: 127, significand: 2)
    error = #expect(throws: SwiftDataError.self) { try writer.save() }
    #expect(error?.validationProblems.map(\.propertyName) == ["price"])
    thing.price = 1
    try writer.save()
    #expect(try things().count == 1)
  }

  @Test func `CD-5 Whole decimals are found by their exact value`() throws {
    let number = try #require(Decimal(string: "9007199254740993"))
    let thing = try saved { $0.price = number }
    #expect(thing.price == number)
    let context = try #require(thing.modelContext)
    #expect(try context.fetchCount(FetchDescriptor<ValueThing>(predicate: #Predicate { $0.price == number })) == 1)
    let near = number - 1
    #expect(try context.fetchCount(FetchDescriptor<ValueThing>(predicate: #Predicate { $0.price == near })) == 0)
  }

  @Test func `CD-5 Addresses are kept as their absolute strings, empty data is not nil`() throws {
    let thing = try saved { thing in
      thing.address = URL(string: "c?d", relativeTo: URL(string: "https://example.org/a/b"))
      thing.bytes = Data()
    }
    #expect(thing.address == URL(string: "https://example.org/a/c?d") && thing.bytes == Data())
    #expect(try sql("SELECT ZADDRESS, ZIDENTITY FROM ZVALUETHING") == [.text("https://example.org/a/c?d"), .null])
  }

  @Test func `CD-5 An enumeration without raw values has a column per case, whether CaseIterable or not`() throws {
    let thing = try saved { thing in
      thing.color = .blue
      thing.other = .red
    }
    #expect(thing.color == .blue && thing.other == .red && thing.only == .only)
    #expect(
      try sql("SELECT ZRED, ZGREEN, ZBLUE, ZRED1, ZGREEN1, ZBLUE1, ZONLY FROM ZVALUETHING")
        == [.null, .null, .text("blue"), .text("red"), .null, .null, .text("only")])
    let color = ValueColor.blue
    let found = FetchDescriptor<ValueThing>(predicate: #Predicate { $0.color == color })
    #expect(try thing.modelContext?.fetchCount(found) == 1)
    let elements = try #require(
      Schema([ValueThing.self]).lowered().entity(named: "ValueThing")?.attributes.first { $0.name == "color" })
    #expect(
      elements.elements.map(\.name) == ["red", "green", "blue"] && elements.userInfo["EnumType"] == .boolean(true))
  }

  static let statuses: [(ValueStatus, [String: StoreValue])] = [
    (.active, ["ZACTIVE": .text("active")]), (.inactive(reason: ""), ["ZREASON": .text("")]),
    (.inactive(reason: "a\"b"), ["ZREASON": .text("a\"b")]), (.score(-1.5), ["ZSCORE": .real(-1.5)]),
    (
      .moved(to: URL(filePath: "/x"), at: Date(timeIntervalSinceReferenceDate: 2.5)),
      ["ZTO": .text("file:///x"), "ZAT": .real(2.5)]
    ),
    (.maybe(nil), ["ZMAYBE": .blob(Data("{}".utf8))]), (.maybe(3), ["ZMAYBE": .blob(Data(#"{"_0":3}"#.utf8))]),
    (.tags(["a"]), ["ZTAGS": .blob(Data(#"{"_0":["a"]}"#.utf8))]),
  ]

  @Test(arguments: statuses.indices)
  func `CD-5 The columns of a case hold its payload, each label's its own value`(index: Int) throws {
    let (status, stored) = Self.statuses[index]
    let thing = try saved { thing in
      thing.status = status
      thing.before = status
    }
    #expect(thing.status == status && thing.before == status)
    let columns = ["ZACTIVE", "ZREASON", "ZSCORE", "ZTO", "ZAT", "ZMAYBE", "ZTAGS"]
    #expect(
      try sql("SELECT \(columns.joined(separator: ", ")) FROM ZVALUETHING") == columns.map { stored[$0] ?? .null })
    thing.before = nil
    try thing.modelContext?.save()
    #expect(try things().last?.before == nil)
    #expect(try things().last?.status == status)
  }

  @Test(.enabled(if: Fixtures.areAvailable, "needs ../shared"))
  func `CD-2.4 A store with values of every kind passes the independent checker`() throws {
    _ = try saved { thing in
      thing.status = .tags(["x"])
      thing.before = .inactive(reason: "r")
      thing.shapes = [thing.shape]
      thing.image = Data(repeating: 7, count: 200_000)
      (thing.price, thing.parts, thing.identity) = (1, ["a": 1], UUID())
    }
    try Oracle.expectSound(store.url, fresh: true)
  }

  @Test func `CD-5 Big data is stored in a file, through every change of the object`() throws {
    let big = Data(repeating: 7, count: 200_000)
    let folder = store.folder.appendingPathComponent(".default_SUPPORT/_EXTERNAL_DATA").path
    func files() throws -> [String] {
      FileManager.default.fileExists(atPath: folder) ? try FileManager.default.contentsOfDirectory(atPath: folder) : []
    }
    let thing = ValueThing(title: "a")
    thing.image = big
    writer.insert(thing)
    try writer.save()
    let first = try files()
    #expect(first.count == 1)
    #expect(try things()[0].image == big)
    thing.image = Data(repeating: 8, count: 200_000)
    writer.rollback()
    #expect(thing.image == big)
    #expect(try files() == first)
    thing.image = big
    thing.title = "b"
    try writer.save()
    #expect(try files() == first)
    let found = FetchDescriptor<ValueThing>(predicate: #Predicate { $0.image == big })
    #expect(try writer.fetchCount(found) == 1)
    thing.image = Data([1])
    thing.double = .nan
    #expect(throws: SwiftDataError.self) { try writer.save() }
    #expect(try files() == first)
    thing.double = 0
    try writer.save()
    #expect(try files() == [] && things()[0].image == Data([1]))
    thing.image = big
    try writer.save()
    writer.delete(thing)
    try writer.save()
    #expect(try files() == [])
  }

  @Test func `A transformable without its transformer reads as nil and keeps its bytes`() throws {
    _ = try saved { _ in }
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    try connection.execute("UPDATE ZVALUETHING SET ZOPAQUE = x'010203'")
    connection.close()
    let thing = try #require(try things().first)
    #expect(thing.opaque == nil)
    thing.title = "changed"
    try thing.modelContext?.save()
    #expect(try sql("SELECT ZOPAQUE, ZTITLE FROM ZVALUETHING") == [.blob(Data([1, 2, 3])), .text("changed")])
  }

  @Test func `Equal values give equal bytes`() throws {
    var seen: Set<[StoreValue]> = []
    for number in 0..<5 {
      _ = try saved("\(number)") { thing in
        thing.status = .moved(to: URL(filePath: "/x"), at: .distantPast)
        thing.parts = Dictionary(uniqueKeysWithValues: (0..<20).map { ("key \($0)", Double($0)) })
      }
      seen.insert(try sql("SELECT ZTO, ZAT, ZPARTS FROM ZVALUETHING ORDER BY Z_PK DESC LIMIT 1"))
    }
    #expect(seen.count == 1)
  }

  static let hostile = [
    "NULL", "-9223372036854775808", "9223372036854775807", "1e308", "-1e308", "2", "''", "'x'", "'{}'", "x''", "x'00'",
    "x'0203'", "x'5B5D'", "x'7B7D'", "x'5B5B5B'", "CAST('{\"_0\":[]}' AS BLOB)", "zeroblob(70)",
  ]

  @Test(.damagesStores("values of other types"), arguments: hostile)
  func `Whatever a store holds in the columns of an object, reading and saving it does not trap`(value: String) throws {
    _ = try saved { $0.shapes = [$0.shape] }
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    let columns = try PlainSQL.lines(
      connection, "SELECT name FROM pragma_table_info('ZVALUETHING') WHERE name NOT LIKE 'Z\\_%' ESCAPE '\\'")
    #expect(columns.count > 40)
    try connection.execute("UPDATE ZVALUETHING SET \(columns.map { "\"\($0)\" = \(value)" }.joined(separator: ", "))")
    connection.close()
    let thing = try #require(try things().first)
    for property in ModelClass.of(ValueThing.self).properties { _ = thing[keyPath: property.keyPath] }
    #expect(thing.shape.points.count <= 1)
    thing.int = 4
    try thing.modelContext?.save()
    #expect(try things().first?.int == 4)
  }
}

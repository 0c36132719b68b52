import CoreDataStore
import Foundation
import StoreInspection
import TestSupport
import Testing

@testable import SwiftData

/// Holds itself.
indirect enum OddTree: Codable, Hashable { case leaf(Int), node(OddTree, OddTree), named(String, of: [OddTree]) }
struct OddFrame: Codable, Hashable {
  var picture: OddPicture
  var title: String
}
indirect enum OddPicture: Codable, Hashable { case framed(OddFrame), bare(Data), none }

struct OddInner: Codable, Hashable {
  var a: Int
  var b: String?
  var c: [Date]
}
struct OddMiddle: Codable, Hashable {
  var inner: OddInner
  var maybe: OddInner?
  var list: [OddInner]
  var map: [String: OddInner]
}
struct OddOuter: Codable, Hashable {
  var middle: OddMiddle
  var price: Decimal
  var id: UUID
  var data: Data
  var flag: Bool?
  var when: Date
  var at: URL?
}
struct OddWrapper<Value: Codable & Hashable>: Codable, Hashable {
  var value: Value
  var extra: Value?
}
struct OddOptions: OptionSet, Codable, Hashable {
  var rawValue: Int
  static let a = OddOptions(rawValue: 1)
  static let b = OddOptions(rawValue: 2)
}

/// Encodes and decodes a nested container by hand.
struct OddNested: Codable, Hashable {
  var x: Double
  var y: [String: Int]

  enum Keys: CodingKey { case name, place }
  enum Place: CodingKey { case x, y }

  init(x: Double, y: [String: Int]) { (self.x, self.y) = (x, y) }

  init(from decoder: any Decoder) throws {
    let place = try decoder.container(keyedBy: Keys.self).nestedContainer(keyedBy: Place.self, forKey: .place)
    x = try place.decode(Double.self, forKey: .x)
    y = try place.decode([String: Int].self, forKey: .y)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode("n", forKey: .name)
    var place = container.nestedContainer(keyedBy: Place.self, forKey: .place)
    try place.encode(x, forKey: .x)
    try place.encode(y, forKey: .y)
  }
}

enum OddText: String, Codable, Hashable, CaseIterable { case empty = "", quote = "'\"", nul = "a\u{0}b", key = "🗝️" }
enum OddPayload: Codable, Hashable { case none, pair(OddInner, Int?), named(x: Double, y: [String: Int]) }

@Model final class OddThing {
  var tree: OddTree?
  var sureTree: OddTree = OddTree.leaf(0)
  var picture: OddPicture?
  var frame: OddFrame?
  var outer: OddOuter?
  var wrapped: OddWrapper<OddText>?
  var options: OddOptions?
  var nested: OddNested?
  var length: Measurement<UnitLength>?
  var names: PersonNameComponents?
  var text: OddText?
  var texts: [OddText] = []
  var textSet: Set<OddText> = []
  var textMap: [OddText: [Int?]] = [:]
  var payload: OddPayload?
  var payloads: [OddPayload]?
  var deep: [String: [String: [[Int]]]] = [:]
  var innerMap: [Int: OddInner]?
  var components: DateComponents?
  var interval: DateInterval?
  var locale: Locale?
  var range: Range<Int>?
  @Attribute(.codable) var duration: Duration?
  var zone: TimeZone?
  @Attribute(.codable) var characters: CharacterSet?
  init() {}
}

enum OddRefused {
  struct Filter: Codable { var letters: CharacterSet }

  @Model final class Thing {
    var characters: CharacterSet?
    var filter: Filter?
    init() {}
  }
}

/// Values of unusual types are saved, read, and replaced, and the store passes the checker.
@Suite struct ValueOddTests {
  private let store: TemporaryStore
  private let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try ModelContainer(for: OddThing.self, configurations: ModelConfiguration(url: store.url))
  }

  private func expectSame<Value: Equatable>(
    _ path: ReferenceWritableKeyPath<OddThing, Value>, _ values: Value...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let writer = ModelContext(container)
    let thing = OddThing()
    writer.insert(thing)
    for value in values {
      thing[keyPath: path] = value
      try writer.save()
      let reader = ModelContext(container)
      let read = try #require(reader.model(for: thing.persistentModelID) as? OddThing)
      #expect(read[keyPath: path] == value, sourceLocation: sourceLocation)
    }
  }

  private func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try StoreChecker.check(store.url) == [], sourceLocation: sourceLocation)
    try Oracle.expectSound(store.url, fresh: true, sourceLocation: sourceLocation)
  }

  private let inner = OddInner(
    a: .min, b: "", c: [.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0.1)])

  @Test func `A type that contains itself is stored, whatever its depth`() throws {
    let deep = (0..<50).reduce(OddTree.leaf(-1)) { .node($0, .leaf($1)) }
    try expectSame(\.tree, .leaf(.max), .node(.leaf(1), .node(.leaf(-2), .leaf(3))), nil, .named("", of: []), deep)
    try expectSame(\.sureTree, .named("a\u{0}b", of: [.leaf(1), deep]), .leaf(0))
    let framed = OddPicture.framed(OddFrame(picture: .bare(Data([0, 255])), title: "t"))
    try expectSame(\.picture, framed, OddPicture.none, .bare(Data()), nil)
    try expectSame(\.frame, OddFrame(picture: framed, title: ""), OddFrame(picture: .none, title: "x"), nil)
    try check()
  }

  @Test func `Nested structures are read back with every member`() throws {
    let middle = OddMiddle(
      inner: inner, maybe: nil, list: [inner, OddInner(a: 1, b: nil, c: [])], map: ["": inner, "k\u{0}": inner])
    let place = try #require(URL(string: "http://x.y/a/b?c=%20#d"))
    var outer = OddOuter(
      middle: middle, price: 12.25, id: UUID(), data: Data(), flag: false, when: .distantFuture, at: place)
    let first = outer
    outer.middle.maybe = inner
    (outer.price, outer.flag, outer.at, outer.when) = (-0.1, nil, nil, .distantPast)
    try expectSame(\.outer, first, outer, nil)
    outer.price = .greatestFiniteMagnitude
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try expectSame(\.outer, outer) }
    #expect(error?.explanation?.contains("too large for a decimal") == true)
    try expectSame(\.wrapped, OddWrapper(value: .nul, extra: .empty), OddWrapper(value: .empty, extra: nil), nil)
    try expectSame(\.innerMap, [1: inner, -5: inner], [:], nil)
    try check()
  }

  @Test func `Nested containers that a type encodes by hand are read back`() throws {
    try expectSame(\.nested, OddNested(x: 0.1, y: ["a": 1, "": .max]), OddNested(x: -1e300, y: [:]), nil)
    try expectSame(\.length, Measurement(value: 1.5, unit: .meters), Measurement(value: -0.1, unit: .miles), nil)
    var names = PersonNameComponents()
    (names.givenName, names.familyName) = ("Ján", "")
    try expectSame(\.names, names, nil)
    try check()
  }

  @Test func `Enumerations and collections of every kind are read back`() throws {
    for text in OddText.allCases { try expectSame(\.text, text, nil) }
    try expectSame(\.options, [.a, .b], [], nil)
    try expectSame(\.texts, OddText.allCases, [])
    try expectSame(\.textSet, Set(OddText.allCases), [])
    try expectSame(\.textMap, [.nul: [1, nil], .empty: []], [:])
    try expectSame(\.payload, OddPayload.none, .pair(inner, nil), .pair(inner, 7), .named(x: 1e300, y: ["a": 1]), nil)
    try expectSame(\.payloads, [.none, .pair(inner, 1), .named(x: 0, y: [:])], [], nil)
    try expectSame(\.deep, ["a": ["b": [[1, 2], []], "": []], "c": [:]], [:])
    try check()
  }

  @Test func `Foundation's own types are read back`() throws {
    try expectSame(\.components, DateComponents(year: 2026, month: 2, day: 30), DateComponents(hour: 1), nil)
    try expectSame(\.interval, DateInterval(start: .distantPast, duration: 0.1), nil)
    try expectSame(\.locale, Locale(identifier: "sk_SK"), nil)
    try expectSame(\.range, -1..<5, 0..<0, nil)
    try expectSame(\.duration, .seconds(1) + .nanoseconds(5), .zero, nil)
    try expectSame(\.zone, TimeZone(identifier: "Europe/Sofia"), nil)
    try expectSame(\.characters, CharacterSet(charactersIn: "ab"), nil)
    try check()
  }

  @Test func `A type on which Foundation would trap is refused`() {
    let error = #expect(throws: SwiftDataError.self) { try Schema([OddRefused.Thing.self]).lowered() }
    #expect(error?.explanation?.contains("Thing.characters") == true)
    #expect(error?.explanation?.contains("Thing.filter") == true)
  }
}

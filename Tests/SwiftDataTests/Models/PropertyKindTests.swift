import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// A class that archives itself.
final class KindRoute: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let name: String
  init(_ name: String) { self.name = name }
  init?(coder: NSCoder) { name = (coder.decodeObject(of: NSString.self, forKey: "name") as? String) ?? "" }
  func encode(with coder: NSCoder) { coder.encode(name as NSString, forKey: "name") }
  override func isEqual(_ object: Any?) -> Bool { (object as? KindRoute)?.name == name }
}

/// The types of values that a property may have.
enum KindValues {
  enum Text: String, Codable, CaseIterable { case first, second }
  enum Number: Int, Codable { case one = 1, two }
  enum Plain: Codable, Equatable { case red, green, blue }
  enum Payload: Codable, Equatable {
    case none
    case number(Int)
    case named(name: String, size: Double)
    case nested(Point)
  }
  enum TextByDefault: String, Codable { case on, off }

  struct Point: Codable, Hashable {
    var x: Int
    var y: Int
  }

  struct Renamed: Codable, Equatable {
    var title: String
    var inner: Point
    var note: String?

    enum CodingKeys: String, CodingKey {
      case title = "the_title"
      case inner = "the_inner"
      case note
    }
  }

  /// Has an encoding of its own.
  struct Degrees: Codable, Equatable {
    var value: Double
    init(value: Double) { self.value = value }
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Double.self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  struct Identifier: RawRepresentable, Codable, Hashable {
    var rawValue: String
  }

  struct Flags: OptionSet, Codable, Hashable {
    let rawValue: Int
    static let bold = Flags(rawValue: 1)
    static let italic = Flags(rawValue: 2)
  }

  final class RouteTransformer: NSSecureUnarchiveFromDataTransformer {
    override class var allowedTopLevelClasses: [AnyClass] { [KindRoute.self, NSString.self] }
  }
}

@Model final class KindThing {
  /// The place in the table of the property that this object shows.
  var place = 0
  var bool = false
  var int = 0
  var int8: Int8 = 0
  var int16: Int16 = 0
  var int32: Int32 = 0
  var int64: Int64 = 0
  var uint: UInt = 0
  var uint8: UInt8 = 0
  var uint16: UInt16 = 0
  var uint32: UInt32 = 0
  var uint64: UInt64 = 0
  var float: Float = 0
  var double = 0.0
  var string = ""
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var data = Data()
  var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  var url = URL(fileURLWithPath: "/")
  var decimal: Decimal = 0
  var boolOrNil: Bool?
  var intOrNil: Int?
  var doubleOrNil: Double?
  var stringOrNil: String?
  var dateOrNil: Date?
  var dataOrNil: Data?
  var uuidOrNil: UUID?
  var urlOrNil: URL?
  var decimalOrNil: Decimal?
  var text = KindValues.Text.first
  var textOrNil: KindValues.Text?
  var number: KindValues.Number = KindValues.Number.one
  var plain: KindValues.Plain = KindValues.Plain.red
  var plainOrNil: KindValues.Plain?
  var payload: KindValues.Payload = KindValues.Payload.none
  var payloadOrNil: KindValues.Payload?
  var point = KindValues.Point(x: 0, y: 0)
  var pointOrNil: KindValues.Point?
  var renamed = KindValues.Renamed(title: "", inner: .init(x: 0, y: 0))
  var renamedOrNil: KindValues.Renamed?
  var degrees = KindValues.Degrees(value: 0)
  var degreesOrNil: KindValues.Degrees?
  var width: CGFloat = 0
  var widthOrNil: CGFloat?
  var rectangle = CGRect.zero
  var duration: Duration?
  var identifier = KindValues.Identifier(rawValue: "")
  var identifierOrNil: KindValues.Identifier?
  var flags: KindValues.Flags = []
  var strings: [String] = []
  var stringsOrNil: [String]?
  var ints: [Int] = []
  var dates: [Date] = []
  var nestedArrays: [[Double]] = []
  var optionalElements: [Int?] = []
  var set: Set<String> = []
  var dictionary: [String: Int] = [:]
  var numbered: [Int: String] = [:]
  var dictionaryOfArrays: [String: [UUID]] = [:]
  var points: [KindValues.Point] = []
  var pointSet: Set<KindValues.Point> = []
  var pointsByName: [String: KindValues.Point] = [:]
  var texts: [KindValues.Text] = []
  var payloads: [KindValues.Payload] = []
  var urls: [URL] = []
  var decimals: [Decimal] = []
  @Attribute(.codable) var coded: KindValues.Renamed?
  @Attribute(.codable) var codedPayload: KindValues.Payload = KindValues.Payload.none
  @Attribute(.transformable(by: KindValues.RouteTransformer.self)) var route: KindRoute?
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var archived: [String]?
  @Attribute(.externalStorage) var external: Data?
  @Attribute(.encrypt) var secret: String?
  @Attribute(.allowsCloudEncryption, .spotlight, .preserveValueOnDeletion) var marked: String?

  init() {}
}

/// One property, and a value that is not its default.
struct PropertyKind: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let assign: @Sendable (KindThing) -> Void
  let hasValue: @Sendable (KindThing) -> Bool
  let hasDefault: @Sendable (KindThing) -> Bool

  init<Value: Equatable & SendableMetatype>(
    _ name: String, _ keyPath: any ReferenceWritableKeyPath<KindThing, Value> & Sendable, _ value: Value,
    default initial: Value
  ) {
    nonisolated(unsafe) let value = value
    nonisolated(unsafe) let initial = initial
    testDescription = name
    assign = { $0[keyPath: keyPath] = value }
    hasValue = { $0[keyPath: keyPath] == value }
    hasDefault = { $0[keyPath: keyPath] == initial }
  }

  init<Value: Equatable & SendableMetatype>(
    _ name: String, _ keyPath: any ReferenceWritableKeyPath<KindThing, Value?> & Sendable, _ value: Value
  ) { self.init(name, keyPath, value, default: nil) }

  private static let someURL = URL(string: "https://example.org/a?b=c#d") ?? URL(fileURLWithPath: "/a")
  private static let someUUID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  private static let someDate = Date(timeIntervalSinceReferenceDate: -12345.678)
  private static let zeroPoint = KindValues.Point(x: 0, y: 0)
  private static let point = KindValues.Point(x: -3, y: 4)
  private static let renamed = KindValues.Renamed(title: "t", inner: point, note: "n")

  static let numbers: [PropertyKind] = [
    .init("Bool", \.bool, true, default: false), .init("Int", \.int, .min, default: 0),
    .init("Int8", \.int8, .min, default: 0), .init("Int16", \.int16, .max, default: 0),
    .init("Int32", \.int32, .min, default: 0), .init("Int64", \.int64, .max, default: 0),
    .init("UInt", \.uint, .max, default: 0), .init("UInt8", \.uint8, .max, default: 0),
    .init("UInt16", \.uint16, .max, default: 0), .init("UInt32", \.uint32, .max, default: 0),
    .init("UInt64", \.uint64, .max, default: 0), .init("Float", \.float, 0.1, default: 0),
    .init("CGFloat", \.width, 0.1, default: 0), .init("CGFloat?", \.widthOrNil, -.infinity),
    .init("Double", \.double, -0.1, default: 0), .init("Decimal", \.decimal, 12.75, default: 0),
    .init("Bool?", \.boolOrNil, false), .init("Int?", \.intOrNil, 0), .init("Double?", \.doubleOrNil, .infinity),
    .init("Decimal?", \.decimalOrNil, -1),
  ]

  static let values: [PropertyKind] = [
    .init("String", \.string, "a\0ü🦊", default: ""),
    .init("Date", \.date, someDate, default: Date(timeIntervalSinceReferenceDate: 0)),
    .init("Data", \.data, Data([0, 255]), default: Data()),
    .init("UUID", \.uuid, someUUID, default: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
    .init("URL", \.url, someURL, default: URL(fileURLWithPath: "/")), .init("String?", \.stringOrNil, ""),
    .init("Date?", \.dateOrNil, someDate), .init("Data?", \.dataOrNil, Data()), .init("UUID?", \.uuidOrNil, someUUID),
    .init("URL?", \.urlOrNil, someURL),
  ]

  static let enumerations: [PropertyKind] = [
    .init("an enum with text", \.text, .second, default: .first),
    .init("an enum with text or nil", \.textOrNil, .first),
    .init("an enum with numbers", \.number, .two, default: .one),
    .init("an enum without raw values", \.plain, .blue, default: .red),
    .init("an enum without raw values or nil", \.plainOrNil, .red),
    .init("an enum with payloads", \.payload, .named(name: "n", size: 2.5), default: .none),
    .init("a payload of one value", \.payload, .number(-7), default: .none),
    .init("a payload that is a structure", \.payload, .nested(point), default: .none),
    .init("an enum with payloads or nil", \.payloadOrNil, .number(1)),
    .init("a RawRepresentable", \.identifier, .init(rawValue: "x"), default: .init(rawValue: "")),
    .init("a RawRepresentable or nil", \.identifierOrNil, .init(rawValue: "")),
    .init("an OptionSet", \.flags, [.bold, .italic], default: []),
  ]

  static let structures: [PropertyKind] = [
    .init("a structure", \.point, point, default: zeroPoint), .init("a structure or nil", \.pointOrNil, point),
    .init(
      "a structure with coding keys and a structure in it", \.renamed, renamed,
      default: .init(title: "", inner: zeroPoint)), .init("that or nil", \.renamedOrNil, renamed),
    .init("a structure coded as one value", \.degrees, .init(value: 12.5), default: .init(value: 0)),
    .init("that value or nil", \.degreesOrNil, .init(value: 0)),
    .init(
      "a structure coded as a list", \.rectangle, CGRect(x: 1, y: -2, width: 0.5, height: 3), default: CGRect.zero),
    .init("a list or nil", \.duration, .milliseconds(1_500)),
  ]

  static let collections: [PropertyKind] = [
    .init("[String]", \.strings, ["b", "", "a"], default: []), .init("[String]?", \.stringsOrNil, []),
    .init("[Int]", \.ints, [1, .min], default: []), .init("[Date]", \.dates, [someDate], default: []),
    .init("[[Double]]", \.nestedArrays, [[1.5], [], [2]], default: []),
    .init("[Int?]", \.optionalElements, [1, nil, 3], default: []),
    .init("Set<String>", \.set, ["a", "b"], default: []),
    .init("[String: Int]", \.dictionary, ["a": 1, "": 0], default: [:]),
    .init("[Int: String]", \.numbered, [1: "a", -1: "b"], default: [:]),
    .init("[String: [UUID]]", \.dictionaryOfArrays, ["a": [someUUID], "b": []], default: [:]),
    .init("[structure]", \.points, [point, zeroPoint], default: []),
    .init("Set<structure>", \.pointSet, [point, zeroPoint], default: []),
    .init("[String: structure]", \.pointsByName, ["p": point], default: [:]),
    .init("[enum]", \.texts, [.second, .first], default: []),
    .init("[enum with payloads]", \.payloads, [.none, .number(2), .nested(point)], default: []),
    .init("[URL]", \.urls, [someURL], default: []), .init("[Decimal]", \.decimals, [1.25, -3], default: []),
  ]

  static let options: [PropertyKind] = [
    .init("a structure with .codable", \.coded, renamed),
    .init("an enum with .codable", \.codedPayload, .named(name: "", size: 0), default: .none),
    .init("an object with its transformer's class", \.route, KindRoute("north")),
    .init("a value with its transformer's name", \.archived, ["a"]),
    .init("data with .externalStorage", \.external, Data(repeating: 7, count: 200_000)),
    .init("a text with .encrypt", \.secret, "s"), .init("a text with several options", \.marked, "m"),
  ]

  static let all = groups.flatMap(\.kinds)
  static let groups = [
    PropertyKindGroup("numbers", numbers), PropertyKindGroup("values", values),
    PropertyKindGroup("enumerations", enumerations), PropertyKindGroup("structures", structures),
    PropertyKindGroup("collections", collections), PropertyKindGroup("options", options),
  ]
}

/// Kinds that one store of the test has.
struct PropertyKindGroup: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let kinds: [PropertyKind]

  init(_ name: String, _ kinds: [PropertyKind]) {
    testDescription = name
    self.kinds = kinds
  }
}

@Suite("Kinds of properties")
struct PropertyKindTests {
  @Test("Values go through a store into a second container, and so do defaults", arguments: PropertyKind.groups)
  func roundTrip(group: PropertyKindGroup) throws {
    let store = try TemporaryStore()
    func context() throws -> ModelContext {
      ModelContext(try ModelContainer(for: KindThing.self, configurations: ModelConfiguration(url: store.url)))
    }
    let writer = try context()
    for (place, kind) in group.kinds.enumerated() {
      let thing = KindThing()
      thing.place = place
      #expect(kind.hasDefault(thing), "\(kind)")
      kind.assign(thing)
      writer.insert(thing)
    }
    let plain = KindThing()
    plain.place = group.kinds.count
    writer.insert(plain)
    try writer.save()
    let reader = try context()
    let things = try reader.fetch(FetchDescriptor<KindThing>(sortBy: [SortDescriptor(\.place)]))
    try #require(things.count == group.kinds.count + 1)
    for (place, kind) in group.kinds.enumerated() {
      #expect(kind.hasValue(things[place]), "\(kind)")
      #expect(kind.hasDefault(things[group.kinds.count]), "\(kind)")
    }
    // The next object gets the value by a change.
    for (place, kind) in group.kinds.enumerated() { kind.assign(things[place + 1]) }
    try reader.save()
    let again = try ModelContext(reader.container).fetch(FetchDescriptor<KindThing>(sortBy: [SortDescriptor(\.place)]))
    for (place, kind) in group.kinds.enumerated() {
      #expect(kind.hasValue(again[place + 1]), "\(kind)")
    }
  }

  @Test func `The table has every property of the class`() {
    #expect(PropertyKind.all.count >= ModelClass.of(KindThing.self).properties.count - 1)
  }

  @Test func `The store that all kinds are in satisfies the checker`() throws {
    let store = try TemporaryStore()
    let context = ModelContext(
      try ModelContainer(for: KindThing.self, configurations: ModelConfiguration(url: store.url)))
    let thing = KindThing()
    for kind in PropertyKind.all { kind.assign(thing) }
    context.insert(thing)
    context.insert(KindThing())
    try context.save()
    try Oracle.expectSound(store.url, fresh: true)
  }

  @Test func `Fields may come and go in a value that is coded as a whole, without a migration`() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(
        try ModelContainer(for: EvolvingBefore.Note.self, configurations: ModelConfiguration(url: store.url)))
      context.insert(EvolvingBefore.Note())
      try context.save()
    }
    let context = ModelContext(
      try ModelContainer(for: EvolvingAfter.Note.self, configurations: ModelConfiguration(url: store.url)))
    let note = try #require(try context.fetch(FetchDescriptor<EvolvingAfter.Note>()).first)
    #expect(note.content == .init(title: "t", size: nil) && note.list == [.init(title: "l", size: nil)])
    note.content.size = 2
    note.list.append(.init(title: "m", size: 3))
    try context.save()
    let again = try ModelContext(context.container).fetch(FetchDescriptor<EvolvingAfter.Note>()).first
    #expect(again?.content.size == 2 && again?.list.map(\.size) == [nil, 3])
  }

  @Test func `The names of options of the first releases are aliases`() throws {
    #expect(Schema.Attribute.Option.encrypt == .allowsCloudEncryption)
    #expect(Schema.Attribute.Option.transient == .ephemeral)
    let attributes = try #require(Schema([KindThing.self]).entitiesByName["KindThing"]?.attributesByName)
    #expect(attributes["coded"]?.isCodable == true && attributes["point"]?.isCodable == false)
    #expect(attributes["secret"]?.options.contains(.allowsCloudEncryption) == true)
    #expect(attributes["route"]?.isTransformable == true)
  }

  @Test func `Transformers are found by name, Foundation's own among them`() throws {
    let name = NSValueTransformerName("PropertyKindTests.Route")
    #expect(ValueTransformer(forName: name) == nil)
    let transformer = KindValues.RouteTransformer()
    ValueTransformer.setValueTransformer(transformer, forName: name)
    #expect(ValueTransformer(forName: name) === transformer && ValueTransformer.valueTransformerNames().contains(name))
    ValueTransformer.setValueTransformer(nil, forName: name)
    #expect(ValueTransformer(forName: name) == nil)
    #expect(ValueTransformer(forName: .negateBooleanTransformerName)?.transformedValue(true) as? Bool == false)
    #expect(ValueTransformer(forName: .isNilTransformerName)?.transformedValue(nil) as? Bool == true)
    #expect(ValueTransformer(forName: .isNotNilTransformerName)?.transformedValue(nil) as? Bool == false)
    let archiver = try #require(ValueTransformer(forName: .secureUnarchiveFromDataTransformerName))
    let data = try #require(archiver.reverseTransformedValue(["a", "b"]) as? Data)
    #expect(archiver.transformedValue(data) as? [String] == ["a", "b"])
    #expect(archiver.transformedValue(Data([1])) == nil)
    // A class of the program is not among the classes that an archive may hold by default.
    let route = try #require(transformer.reverseTransformedValue(KindRoute("x")) as? Data)
    #expect(archiver.transformedValue(route) == nil && transformer.transformedValue(route) as? KindRoute != nil)
  }
}

enum EvolvingBefore {
  struct Content: Codable, Equatable {
    var title: String
    var gone = 1
  }

  @Model final class Note {
    @Attribute(.codable) var content = Content(title: "t")
    var list = [Content(title: "l")]
    init() {}
  }
}

enum EvolvingAfter {
  struct Content: Codable, Equatable {
    var title: String
    var size: Int?
  }

  @Model final class Note {
    @Attribute(.codable) var content = Content(title: "")
    var list: [Content] = []
    init() {}
  }
}

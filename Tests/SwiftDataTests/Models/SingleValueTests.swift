import Foundation
import ManagedModel
import StoreInspection
import TestSupport
import Testing

@testable import SwiftData

/// Types that encode themselves as a single value or as a list.
enum Coded {
  /// Encodes its text, which has one character at least.
  struct Code: Codable, Hashable {
    var text: String

    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
      if text.isEmpty { throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "No text.")) }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  struct Point: Codable, Equatable { var x: Double, label: String? }

  /// Encodes another value in its own place.
  struct Box<Content: Codable & Equatable>: Codable, Equatable {
    var content: Content

    init(_ content: Content) { self.content = content }
    init(from decoder: any Decoder) throws { content = try decoder.singleValueContainer().decode(Content.self) }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(content)
    }
  }

  enum NumberOrText: Codable {
    case number(Int), text(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int.self) {
        self = .number(number)
      } else {
        self = .text(try container.decode(String.self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .number(let number): try container.encode(number)
      case .text(let text): try container.encode(text)
      }
    }
  }

  /// Reads a number, and may encode a text.
  struct Loose: Codable {
    var text: String
    init(_ text: String) { self.text = text }
    init(from decoder: any Decoder) throws { text = "\(try decoder.singleValueContainer().decode(Int.self))" }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  /// No member of these has a zero.
  struct Zoned: Codable, Equatable {
    var zone: TimeZone
    var span: ClosedRange<Int>
    var at: CGPoint
    var indexes: IndexSet
  }

  /// A text, or a member.
  enum TextOrMember: Codable {
    case text(String), member(Int?)
    enum Key: CodingKey { case member }

    init(from decoder: any Decoder) throws {
      if let text = try? decoder.singleValueContainer().decode(String.self) {
        self = .text(text)
      } else {
        self = .member(try decoder.container(keyedBy: Key.self).decode(Int?.self, forKey: .member))
      }
    }

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .text(let text):
        var container = encoder.singleValueContainer()
        try container.encode(text)
      case .member(let member):
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(member, forKey: .member)
      }
    }
  }

  enum Color: String, Codable { case red, green }

  /// Has members without columns of their own.
  struct Card: Codable, Equatable {
    var color: Box<Color>
    var names: Box<[String: Int]>
    var at: CGFloat
  }

  struct Dated: Codable { var name: String, calendar: Calendar }
}

@Model final class CodedThing {
  #Index<CodedThing>([\.width])
  @Attribute(.unique) var code = Coded.Code("none")
  var codeOrNil: Coded.Code?
  var day: Coded.Box<Date>?
  var inBoxes = Coded.Box(Coded.Box(1))
  var point = Coded.Box(Coded.Point(x: 0, label: nil))
  @Attribute(.length(...3)) var short: Coded.Code = Coded.Code("s")
  var width: CGFloat = 1.5
  var zoned: Coded.Zoned?
  var loose: Coded.Loose?
  var color: Coded.Box<Coded.Color> = Coded.Box(Coded.Color.red)
  var names: Coded.Box<[String: Int]>?
  var card: Coded.Card?

  init(_ code: String) { self.code = Coded.Code(code) }
}

enum CodedRefused {
  @Model final class Thing {
    var either: Coded.NumberOrText?
    var form: Coded.TextOrMember?
    var empty: Coded.Box<Int?>?
    var twice: Int??
    var dated: Coded.Dated?
    var wide: Int128?
    var wideUnsigned: UInt128 = 0
    init() {}
  }
}

/// A type that encodes itself as a single value has the column of this value; a list is JSON.
@Suite struct SingleValueTests {
  private let store: TemporaryStore
  private let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try ModelContainer(for: CodedThing.self, configurations: ModelConfiguration(url: store.url))
  }

  /// Saves an object; returns it as another context reads it.
  private func saved(_ change: (CodedThing) -> Void) throws -> CodedThing {
    let context = ModelContext(container)
    let thing = CodedThing("a")
    change(thing)
    context.insert(thing)
    try context.save()
    return try #require(ModelContext(container).model(for: thing.persistentModelID) as? CodedThing)
  }

  private func codes(_ predicate: Predicate<CodedThing>) throws -> [String] {
    let context = ModelContext(container)
    // The store decides, not memory.
    #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == 1)
    return try context.fetch(FetchDescriptor(predicate: predicate)).map(\.code.text)
  }

  @Test func `A value is read back from the column of what it encodes`() throws {
    let day = Date(timeIntervalSinceReferenceDate: 86_400.5)
    let read = try saved {
      $0.codeOrNil = Coded.Code("b")
      $0.day = Coded.Box(day)
      $0.inBoxes = Coded.Box(Coded.Box(7))
      $0.point = Coded.Box(Coded.Point(x: 2, label: "l"))
    }
    #expect(read.code == Coded.Code("a"))
    #expect(read.codeOrNil == Coded.Code("b"))
    #expect(read.day == Coded.Box(day))
    #expect(read.inBoxes == Coded.Box(Coded.Box(7)))
    #expect(read.point == Coded.Box(Coded.Point(x: 2, label: "l")))
    let attributes = try container.schema.lowered().entities[0].attributes
    let types = Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0.type) })
    #expect([types["code"], types["day"], types["inBoxes"]] == [.string, .date, .integer64])
    #expect([types["point"], types["width"]] == [.composite, .double])
    #expect(try StoreChecker.check(store.url) == [])
    try Oracle.expectSound(store.url, fresh: true)
  }

  @Test func `A predicate compares the value, and the member that it encodes`() throws {
    _ = try saved { $0.codeOrNil = Coded.Code("b") }
    _ = try saved {
      $0.code = Coded.Code("z")
      $0.width = 8
    }
    let (code, list, half) = (Coded.Code("z"), [Coded.Code("b"), Coded.Code("c")], CGFloat(4))
    #expect(try codes(#Predicate { $0.code == code }) == ["z"])
    #expect(try codes(#Predicate { $0.code.text == "z" }) == ["z"])
    #expect(try codes(#Predicate { $0.codeOrNil?.text == "b" }) == ["a"])
    #expect(try codes(#Predicate { $0.codeOrNil == nil }) == ["z"])
    #expect(try codes(#Predicate { $0.codeOrNil.flatMap { list.contains($0) } == true }) == ["a"])
    #expect(try codes(#Predicate { $0.width > half && $0.width / 2 == half }) == ["z"])
    let context = ModelContext(container)
    let sorted = FetchDescriptor<CodedThing>(sortBy: [SortDescriptor(\.width, order: .reverse)])
    #expect(try context.fetch(sorted).map(\.width) == [8, 1.5])
    #expect(try context.sum(of: \CodedThing.width) == 9.5)
  }

  @Test func `A unique single value is an upsert's key`() throws {
    _ = try saved { $0.width = 1 }
    let read = try saved { $0.width = 2 }
    #expect(read.width == 2)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<CodedThing>()) == 1)
  }

  @Test func `The rules of an attribute hold for what its value encodes`() throws {
    let error = #expect(throws: SwiftDataError.modelValidationFailure) {
      _ = try saved { $0.short = Coded.Code("four") }
    }
    #expect(error?.explanation?.contains("CodedThing.short") == true)
  }

  @Test func `A value that encodes another type than it reads is refused`() throws {
    let error = #expect(throws: SwiftDataError.modelValidationFailure) {
      _ = try saved { $0.loose = Coded.Loose("x") }
    }
    #expect(
      error?.explanation?.contains("no column holds the value as it is encoded, since init(from:) reads Int") == true)
  }

  @Test func `Members whose types refuse zeros are found`() throws {
    let zone = try #require(TimeZone(identifier: "Europe/Zurich"))
    let zoned = Coded.Zoned(zone: zone, span: 3...5, at: CGPoint(x: 1, y: 2), indexes: [1, 4])
    #expect(try saved { $0.zoned = zoned }.zoned == zoned)
  }

  @Test func `A wrapped enumeration has a column, a wrapped collection is JSON, and both may be members`() throws {
    let card = Coded.Card(color: Coded.Box(.green), names: Coded.Box(["a": 1]), at: 1.5)
    let read = try saved { ($0.color, $0.names, $0.card) = (Coded.Box(.green), Coded.Box(["b": 2]), card) }
    #expect(read.color == Coded.Box(.green) && read.names == Coded.Box(["b": 2]) && read.card == card)
    let green = Coded.Box(Coded.Color.green)
    #expect(try codes(#Predicate { $0.color == green }) == ["a"])
    let attributes = try container.schema.lowered().entities[0].attributes
    let types = Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0.type) })
    #expect([types["color"], types["names"], types["card"]] == [.string, .binary, .composite])
  }

  @Test func `Types without columns are refused with the member and the remedy`() {
    let error = #expect(throws: SwiftDataError.unsupportedSchema) {
      try ModelContainer(
        for: CodedRefused.Thing.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    for reason in [
      "Thing.either: a value of type Optional<NumberOrText> cannot be stored: it encodes itself in several forms",
      "Thing.form: a value of type Optional<TextOrMember> cannot be stored: it encodes itself in several forms",
      "Thing.empty: a value of type Optional<Box<Optional<Int>>> cannot be stored: it may encode itself as nil",
      "Thing.twice: a value of type Optional<Optional<Int>> cannot be stored: an optional of an optional has no column",
      "fails at 'calendar' without values: use @Attribute(.codable)",
      "Thing.wide: a value of type Optional<Int128> cannot be stored: no column holds an integer of this type: use Int64",
      "Thing.wideUnsigned: a value of type UInt128 cannot be stored: no column holds an integer of this type: use Int64",
    ] {
      #expect(error?.explanation?.contains(reason) == true, "\(error?.explanation ?? "")")
    }
  }
}

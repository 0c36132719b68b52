import Foundation
import SwiftData

/// Types whose coding is written by hand, so that zeros do not tell all that they encode.
enum HandCoded {
  /// Encodes other members for each case.
  enum Shape: Codable, Equatable {
    case circle(Double)
    case square(Double)

    enum Kind: String, Codable { case circle, square }
    enum Key: CodingKey { case kind, radius, side }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      switch try container.decode(Kind.self, forKey: .kind) {
      case .circle: self = .circle(try container.decode(Double.self, forKey: .radius))
      case .square: self = .square(try container.decode(Double.self, forKey: .side))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      switch self {
      case .circle(let radius):
        try container.encode(Kind.circle, forKey: .kind)
        try container.encode(radius, forKey: .radius)
      case .square(let side):
        try container.encode(Kind.square, forKey: .kind)
        try container.encode(side, forKey: .side)
      }
    }
  }

  /// Has a member since its second version.
  struct Draft: Codable, Equatable {
    var version: Int
    var note: String

    init(version: Int, note: String) { (self.version, self.note) = (version, note) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      version = try container.decode(Int.self, forKey: .version)
      note = version >= 2 ? try container.decode(String.self, forKey: .note) : ""
    }

    enum CodingKeys: CodingKey { case version, note }
  }

  /// Keeps members that it does not know.
  struct Form: Codable, Equatable {
    var title: String
    var others: [String: String] = [:]

    struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(_ title: String, others: [String: String] = [:]) { (self.title, self.others) = (title, others) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      title = try container.decode(String.self, forKey: Key(stringValue: "title"))
      for key in container.allKeys where key.stringValue != "title" {
        others[key.stringValue] = try container.decode(String.self, forKey: key)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(title, forKey: Key(stringValue: "title"))
      for (name, value) in others { try container.encode(value, forKey: Key(stringValue: name)) }
    }
  }

  /// Encodes one member as a list by hand, another by an encoder of its own.
  struct Items: Codable, Equatable {
    var items: [Int]
    var label: [String: Int]

    init(_ items: [Int], label: [String: Int] = [:]) { (self.items, self.label) = (items, label) }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      var list = container.nestedUnkeyedContainer(forKey: .items)
      for item in items { try list.encode(item) }
      try label.encode(to: container.superEncoder(forKey: .label))
    }

    enum CodingKeys: CodingKey { case items, label }
  }

  /// Encodes and decodes one member as a list by hand.
  struct Steps: Codable, Equatable {
    var steps: [Int]

    init(_ steps: [Int]) { self.steps = steps }

    init(from decoder: any Decoder) throws {
      var list = try decoder.container(keyedBy: CodingKeys.self).nestedUnkeyedContainer(forKey: .steps)
      steps = []
      while !list.isAtEnd { steps.append(try list.decode(Int.self)) }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      var list = container.nestedUnkeyedContainer(forKey: .steps)
      for step in steps { try list.encode(step) }
    }

    enum CodingKeys: CodingKey { case steps }
  }

  /// Does without members that it cannot decode.
  struct Lenient: Codable, Equatable {
    var note: String?
    var theme: Theme?
    var count: Int

    init(_ note: String? = nil, theme: Theme? = nil, count: Int = 7) {
      (self.note, self.theme, self.count) = (note, theme, count)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      note = try? container.decode(String.self, forKey: .note)
      theme = try? container.decode(Theme.self, forKey: .theme)
      count = (try? container.decode(Int.self, forKey: .count)) ?? 7
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encodeIfPresent(note, forKey: .note)
      try container.encodeIfPresent(theme, forKey: .theme)
      if count != 7 { try container.encode(count, forKey: .count) }
    }

    enum CodingKeys: CodingKey { case note, theme, count }
  }

  /// Encodes members as other types than it decodes, and a computed member that it never reads.
  struct Card: Codable, Equatable {
    enum Color: String, Codable { case red, green }

    var color: Color
    var title: String?
    var bytes: Data?
    var code: UUID
    var size: Double

    enum CodingKeys: CodingKey { case color, title, bytes, code, size, type, length }

    init(_ color: Color, title: String?, bytes: Data?, size: Double) {
      (self.color, self.title, self.bytes, self.size) = (color, title, bytes, size)
      code = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      color = try container.decode(Color.self, forKey: .color)
      title = try container.decode(String?.self, forKey: .title)
      bytes = try container.decode(Data?.self, forKey: .bytes)
      code = UUID(uuidString: try container.decode(String.self, forKey: .code)) ?? UUID()
      size = try container.decode(Double.self, forKey: .size)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(color.rawValue, forKey: .color)
      try container.encode(title, forKey: .title)
      try container.encode(bytes, forKey: .bytes)
      try container.encode(code, forKey: .code)
      if let whole = Int(exactly: size) {
        try container.encode(whole, forKey: .size)
      } else {
        try container.encode(size, forKey: .size)
      }
      try container.encode("card", forKey: .type)
      try container.encode(title?.count ?? 0, forKey: .length)
    }
  }

  /// Decodes a smaller number than it encodes.
  struct Rank: Codable, Equatable {
    var number: Int

    init(_ number: Int) { self.number = number }

    init(from decoder: any Decoder) throws {
      number = Int(try decoder.container(keyedBy: CodingKeys.self).decode(Int8.self, forKey: .number))
    }

    enum CodingKeys: CodingKey { case number }
  }

  /// Asks which members there are.
  struct Memo: Codable, Equatable {
    var number: Int
    var text: String?

    init(_ text: String?) { (number, self.text) = (1, text) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      number = try container.decode(Int.self, forKey: .number)
      text = container.contains(.text) ? try container.decode(String.self, forKey: .text) : nil
    }

    enum CodingKeys: CodingKey { case number, text }
  }

  /// Has numbers of many digits in a container of its own.
  struct Measured: Codable, Equatable {
    var exact: Decimal
    var large: UInt64

    enum Keys: CodingKey { case numbers }
    enum Numbers: CodingKey { case exact, large }

    init(exact: Decimal, large: UInt64) { (self.exact, self.large) = (exact, large) }

    init(from decoder: any Decoder) throws {
      let numbers = try decoder.container(keyedBy: Keys.self).nestedContainer(keyedBy: Numbers.self, forKey: .numbers)
      exact = try numbers.decode(Decimal.self, forKey: .exact)
      large = try numbers.decode(UInt64.self, forKey: .large)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      var numbers = container.nestedContainer(keyedBy: Numbers.self, forKey: .numbers)
      try numbers.encode(exact, forKey: .exact)
      try numbers.encode(large, forKey: .large)
    }
  }

  /// Decodes itself by keys, and encodes itself without.
  struct Bare: Codable, Equatable {
    var number: Int

    init(_ number: Int) { self.number = number }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }

    enum CodingKeys: CodingKey { case number }
  }

  @Composite struct Margin: Codable, Equatable {
    var width: Double = 1
    var note: String?
  }

  /// Has a member that would have columns of its own in a structure with `@Composite`.
  struct Page: Codable, Equatable {
    var title: String
    var margin: Margin
    var other: Margin?
  }

  /// Lists only some of its cases.
  enum Filter: Codable, CaseIterable, Equatable {
    case all
    case tag(String)

    static var allCases: [Filter] { [.all] }
  }

  /// Lists a case with an example of its payload.
  enum Period: Codable, CaseIterable, Equatable {
    case everything
    case last(days: Int)

    static var allCases: [Period] { [.everything, .last(days: 7)] }
  }

  /// Encodes the names of its cases by hand, and does not list all of them.
  enum Mode: Codable, CaseIterable, Equatable {
    case on, off, hidden

    enum Key: CodingKey { case on, off, hidden }

    static var allCases: [Mode] { [.on, .off] }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      self = container.contains(.on) ? .on : container.contains(.off) ? .off : .hidden
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      let key: Key =
        switch self {
        case .on: .on
        case .off: .off
        case .hidden: .hidden
        }
      _ = container.nestedContainer(keyedBy: Key.self, forKey: key)
    }
  }

  struct Theme: Codable, Equatable {
    var name: String?
    var font: String?
  }

  @Model final class Board {
    var shape: Shape?
    @Attribute(.codable) var keptShape: Shape?
    var draft: Draft?
    var form: Form?
    var items: Items?
    var steps: Steps?
    var lenient: Lenient = HandCoded.Lenient("default")
    var mode: Mode?
    var card: Card?
    var rank: Rank?
    var memo: Memo?
    var measured: Measured?
    var bare: Bare?
    var page: Page?
    var filter: Filter = HandCoded.Filter.all
    var period: Period?
    var theme: Theme = HandCoded.Theme(name: "dark")
    var otherTheme: Theme?
    init() {}
  }
}

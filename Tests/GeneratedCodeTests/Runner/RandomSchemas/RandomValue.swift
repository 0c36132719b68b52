import Foundation
import SwiftData

/// A value of an attribute, drawn from few, so that values of different objects are often equal.
///
/// No number is infinite or undefined, and no sum or product of a few overflows: Foundation's evaluation would trap, or
/// compare what is not ordered.
protocol RandomValue: Codable, Hashable, Sendable {
  static var samples: [Self] { get }
}

extension RandomValue {
  static func random(_ random: inout SplitMix) -> Self { samples[random.below(samples.count)] }
}

/// A value whose order a predicate can ask for.
protocol OrderedValue: RandomValue, Comparable {}

/// A number that predicates compute with.
protocol ComputedValue: OrderedValue, Numeric, SignedNumeric {}

extension String: OrderedValue {
  static let samples = [
    "", "a", "A", "ab", "Ab", "b", "Größe", "GROSSE", "größe", "e\u{301}tude", "étude", "10 apples", "9 apples", "%",
    "_",
    "a%b", "100_", "'", "🍎", "👨‍👩‍👧", "ß", "ss", "İ", "i", "zebra", "Zebra", " ", "a\nb",
  ]
}

extension Int: ComputedValue { static let samples = [-7, -1, 0, 1, 2, 3, 5, 8, 13, 40, 41] }
extension Int32: ComputedValue { static let samples: [Int32] = [-7, -1, 0, 1, 2, 3, 40] }
extension Int16: OrderedValue { static let samples: [Int16] = [.min, -1, 0, 1, 2, 300, .max] }
extension Int64: OrderedValue { static let samples: [Int64] = [.min, -1, 0, 1, 2, 1 << 53, (1 << 53) + 1, .max] }
extension Double: ComputedValue { static let samples = [-2.5, -0.1, 0, 0.1, 0.2, 0.3, 0.5, 1, 2, 1e15] }
extension Float: ComputedValue { static let samples: [Float] = [-2.5, -0.1, 0, 0.1, 0.3, 0.5, 1, 1e6] }
extension Decimal: ComputedValue {
  static let samples: [Decimal] = ["-3.25", "0", "0.1", "0.3", "1", "2", "19.99", "12345678901234567.89"].compactMap {
    Decimal(string: $0)
  }
}
extension Bool: RandomValue { static let samples = [false, true] }
extension Date: OrderedValue {
  static let samples = [-1e9, -0.5, 0, 0.001, 86_400, 86_400.25, 7e8].map { Date(timeIntervalSinceReferenceDate: $0) }
}
extension UUID: RandomValue {
  static let samples = (0..<4).map { UUID(uuid: ($0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255 - $0)) }
}
extension URL: RandomValue {
  static let samples = ["https://example.org", "https://example.org/", "file:///a", "a/b"].compactMap(URL.init(string:))
}
extension Data: RandomValue { static let samples = [Data(), Data([0]), Data([0, 1]), Data("a".utf8)] }

enum Mood: String, RandomValue, CaseIterable {
  case calm, angry, sad
  static var samples: [Mood] { allCases }
}

enum Level: Int, RandomValue, CaseIterable {
  case low = -1
  case middle = 5
  case high = 10
  static var samples: [Level] { allCases }
}

struct Place: RandomValue {
  var street: String = ""
  var zip: Int = 0
  var note: String?

  static let samples = [
    Place(), Place(street: "a", zip: 1, note: nil), Place(street: "a", zip: 1, note: ""),
    Place(street: "Größe", zip: 40, note: "a"),
  ]
}

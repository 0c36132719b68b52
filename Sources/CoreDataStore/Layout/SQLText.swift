import SQLite
import StoreRequests

/// SQL fragments that several statements share.
enum SQLText {
  /// `= n` or `IN (…)` for entity numbers. They come from the layout, never from a user.
  static func numbersTest(_ numbers: [Int]) -> String {
    if numbers.count == 1, let only = numbers.first { return "= \(only)" }
    return "IN (" + numbers.map { "\($0)" }.joined(separator: ", ") + ")"
  }

  /// `count` placeholders, separated by commas.
  static func placeholders(_ count: Int) -> String {
    repeatElement("?", count: count).joined(separator: ", ")
  }

  /// The smallest power of two that is not less. Lists are padded to it, so that few different texts arise.
  static func paddedCount(_ count: Int) -> Int {
    var padded = 1
    while padded < count { padded *= 2 }
    return padded
  }

  // Functions and collations of every connection to a store; see ``SQLFunctions``.
  static let externalData = "OSD_EXTERNAL_DATA"
  /// Whether such a value is there.
  static let hasExternalData = "OSD_HAS_EXTERNAL_DATA"
  static let storedData = "OSD_STORED_DATA"
  static let releasedData = "OSD_RELEASED_DATA"
  static let canonicalCollation = "OSD_SWIFT"
  static let localizedCollation = "OSD_LOCALIZED"
  static let localizedStandardCollation = "OSD_LOCALIZED_STANDARD"

  /// Comes after an operand whose texts compare as in Swift.
  static let collatingCanonically = " COLLATE \(canonicalCollation)"

  /// A function of a decimal column's value; see `StoreValue.usualDecimal`.
  static let usualDecimal = "OSD_USUAL_DECIMAL"

  static func name(of function: StringFunction) -> String { "OSD_" + function.rawValue.uppercased() }
}

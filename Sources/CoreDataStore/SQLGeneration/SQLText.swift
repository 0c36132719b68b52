import SQLite
import StoreRequests

/// Pieces of SQL that several statements have in common.
enum SQLText {
  /// `= n` or `IN (…)` for entity numbers, which are the layout's, not a user's.
  static func numbersTest(_ numbers: [Int]) -> String {
    if numbers.count == 1, let only = numbers.first { return "= \(only)" }
    return "IN (" + numbers.map { "\($0)" }.joined(separator: ", ") + ")"
  }

  /// `count` placeholders, parted by commas.
  static func placeholders(_ count: Int) -> String {
    repeatElement("?", count: count).joined(separator: ", ")
  }

  /// The smallest power of two that is not less: lists are padded to it, so that few shapes of text arise.
  static func paddedCount(_ count: Int) -> Int {
    var padded = 1
    while padded < count { padded *= 2 }
    return padded
  }

  // Functions and collations that every connection of a store has; see ``SQLFunctions``.
  static let externalData = "OSD_EXTERNAL_DATA"
  static let storedData = "OSD_STORED_DATA"
  static let releasedData = "OSD_RELEASED_DATA"
  static let canonicalCollation = "OSD_SWIFT"
  static let localizedCollation = "OSD_LOCALIZED"
  static let localizedStandardCollation = "OSD_LOCALIZED_STANDARD"

  /// Follows an operand whose texts are to compare as Swift's.
  static let collatingCanonically = " COLLATE \(canonicalCollation)"

  static func name(of function: StringFunction) -> String { "OSD_" + function.rawValue.uppercased() }
}

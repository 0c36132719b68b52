import ErrorReporting
import ManagedModel
import StoreRequests

/// What a copy between two engines has, and what the store has besides.
package struct TransferReport: Sendable, Hashable {
  package internal(set) var rows = 0
  /// Values that the new store keeps with fewer digits, by the type of their attributes.
  var rounded: [AttributeType: Int] = [:]
  /// Dates that the new store cannot keep, and that are infinite there.
  var infiniteDates = 0
  /// To-one keys that lead to no object (CD-3.1).
  var danglingKeys = 0
  /// Values in files that are missing (CD-5).
  var missingFiles = 0
  /// Texts whose bytes are not UTF-8, and that have U+FFFD in their place now.
  var repairedTexts = 0
  /// Rows of entities that the model lacks.
  var foreignRows = 0
  /// What was left out otherwise, and how the model was changed; one clause each.
  var others: [String] = []
  /// The columns that allow `NULL` against the model, as clauses.
  var waived: [String] = []

  /// Counts a value that the new store keeps otherwise.
  ///
  /// - Returns: `false` if that value has nothing of a number's digits.
  mutating func note(_ stored: StoreValue, as type: AttributeType) -> Bool {
    if case .real(let number) = stored, number.isInfinite {
      guard type == .date else { return false }
      infiniteDates += 1
    } else {
      rounded[type, default: 0] += 1
    }
    return true
  }

  /// A clause for each difference between the store and its copy.
  package var differences: [String] {
    func count(_ number: Int?, _ one: String, _ many: String, _ rest: String) -> String? {
      number.flatMap { $0 == 0 ? nil : counted($0, one, many) + rest }
    }
    return [
      count(rounded[.date], "date was", "dates were", " rounded to microseconds"),
      count(rounded[.decimal], "decimal number was", "decimal numbers were", " rounded to the digits of a double"),
      count(rounded[.float], "number was", "numbers were", " rounded to single precision"),
      count(
        infiniteDates, "date that the server cannot keep is", "dates that the server cannot keep are", " infinite now"),
      count(
        danglingKeys, "relationship leads to no object, and is", "relationships lead to no object, and are", " left out"
      ),
      count(
        missingFiles, "value is", "values are", " left out: the files beside the store that have them are missing"),
      count(
        repairedTexts, "text is", "texts are", " not in UTF-8: U+FFFD is written instead of the wrong bytes"),
      count(foreignRows, "row of no entity of the model is", "rows of no entity of the model are", " left out"),
    ].compactMap(\.self) + others + waived
  }
}

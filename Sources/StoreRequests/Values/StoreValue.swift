package import Foundation

/// A value as a column holds it (CD-5); for predicates, tools and tests. Core Data's rows become objects without it.
package enum StoreValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
}

extension StoreValue {
  /// A decimal number as its column holds it (CD-5): an integer of 64 bits exactly, any other number as the nearest double.
  ///
  /// The column has numeric affinity, and Core Data writes doubles and integers. So a number of up to 15 significant digits is read
  /// back unchanged. A number with more digits is read back as the shortest decimal with the same nearest double, at most 17
  /// digits, as in Core Data. NaN is the text "NaN".
  package init(_ number: Decimal) {
    let text = number.description
    self = number.isNaN ? .text("NaN") : Int64(text).map { .integer($0) } ?? .real(Double(text) ?? 0)
  }
}

extension StoreValue {
  /// A decimal number with all of its digits, for an engine that keeps them (``StoreCapabilities/decimals``). It has the
  /// form of its column in Core Data's layout, or is the text of all digits if that form would lose some.
  package init(allDigitsOf number: Decimal) {
    let stored = StoreValue(number)
    self = number.isNaN || Decimal(stored) == number ? stored : .text(number.description)
  }

  /// The decimal number of a constant from ``init(allDigitsOf:)``; `nil` for a value that is no finite number.
  package var allDigits: Decimal? {
    guard case .text(let text) = self else { return Decimal(self) }
    // Any other text is not a number.
    guard let number = text == "NaN" ? .nan : Decimal(string: text), StoreValue(allDigitsOf: number) == self else {
      return nil
    }
    return number
  }
}

extension Decimal {
  /// The decimal number of a stored value; `nil` for an infinite double, and for a value that is no number.
  ///
  /// A double is the shortest decimal with that nearest double. A double without a fraction is that integer. Core Data's conversion
  /// from decimal to double can miss the nearest double by a few last places: a real store has 3.3333333332999993 for 3.3333333333.
  /// So a double that equals a number of at most 12 digits, rounded to 15 digits, is that number. The rule does not apply to
  /// numbers from 10 to the power of 15 on, which columns keep in full. A greater stored value is never a smaller number.
  package init?(_ stored: StoreValue) {
    switch stored {
    case .null, .blob: return nil
    case .integer(let number): self.init(number)
    case .real(let number):
      guard number.isFinite else { return nil }
      if let whole = Int64(exactly: number) {
        self.init(whole)
        return
      }
      let shortest = "\(number)"
      let isLong = shortest.count > 16 && !(1e15..<0x1p63).contains(number.magnitude)
      if isLong, let rounded = Decimal(string: String(format: "%.14e", number)),
        rounded.significand.magnitude <= 999_999_999_999
      {
        self = rounded
      } else {
        self.init(string: shortest)
      }
    case .text("NaN"): self = .nan
    case .text(let text): self.init(string: text)
    }
  }
}

/// The identity of a row in a store: its entity's number and its primary key.
package struct ObjectKey: Sendable, Hashable {
  /// The number of the row's own entity, not of a superentity; in Core Data's layout `Z_ENT` (CD-6).
  package var entity: Int32
  /// The key, unique among the rows of the entity's hierarchy; in Core Data's layout `Z_PK`.
  package var key: Int64

  package init(entity: Int32, key: Int64) {
    self.entity = entity
    self.key = key
  }
}

extension [StoreValue] {
  /// The values, with all canonically equivalent forms of texts; `nil` if there are too many.
  package var textForms: [StoreValue]? {
    var result: [StoreValue] = []
    for value in self {
      guard case .text(let text) = value else {
        result.append(value)
        continue
      }
      guard let forms = CanonicalText.forms(of: text) else { return nil }
      result += forms.map { .text($0) }
    }
    return result
  }
}

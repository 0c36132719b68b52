package import Foundation

/// A value as a column holds it (CD-5); for predicates, tools and tests. Rows of objects never go through it.
package enum StoreValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
}

extension StoreValue {
  /// A decimal number as its column keeps it (CD-5): a whole number of 64 bits exactly, any other as the nearest double.
  ///
  /// The column's affinity is numeric, and Core Data's values there are doubles and integers. So every number of up to 15
  /// significant digits comes back as it was; of one with more digits comes back the shortest decimal that has the same nearest
  /// double, 17 digits at most, as from Core Data. What is not a number is the text "NaN".
  package init(_ number: Decimal) {
    let text = number.description
    self = number.isNaN ? .text("NaN") : Int64(text).map { .integer($0) } ?? .real(Double(text) ?? 0)
  }
}

extension Decimal {
  /// The number that a stored value is, a double being the shortest decimal that reads back as it; `nil` for a double out of
  /// bounds, and for what is no number.
  ///
  /// A whole double is the whole number that the column's affinity makes of it. Core Data's way from a decimal to a double may
  /// miss the nearest one by a few last places: a real store has 3.3333333332999993 for 3.3333333333. So a double that is, to 15
  /// digits, a number of at most 12 is that number; not where whole numbers have more digits than that, and columns keep them
  /// all. A greater stored value never is a smaller number.
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
  /// `Z_ENT` of the row: the actual entity, not a superentity (CD-6).
  package var entity: Int32
  /// `Z_PK`.
  package var key: Int64

  package init(entity: Int32, key: Int64) {
    self.entity = entity
    self.key = key
  }
}

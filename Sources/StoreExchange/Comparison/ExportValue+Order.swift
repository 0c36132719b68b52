import Foundation
import PropertyLists
import StoreRequests

extension ExportValue {
  /// Compares lists of values in the order of a fetch that is sorted by them.
  static func order(_ left: [ExportValue], _ right: [ExportValue]) -> Int {
    for (one, other) in zip(left, right) {
      let order = order(one, other)
      if order != 0 { return order }
    }
    return left.count - right.count
  }

  /// `null`, then numbers, then texts, then bytes, as in SQLite.
  private static func order(_ left: ExportValue, _ right: ExportValue) -> Int {
    if case .decimal(let one) = left, case .decimal(let other) = right, !one.isNaN, !other.isNaN {
      return one == other ? 0 : one < other ? -1 : 1
    }
    switch (left.sortable, right.sortable) {
    case (.integer(let one), .integer(let other)): return one == other ? 0 : one < other ? -1 : 1
    case (.real(let one), .real(let other)): return order(one, other)
    case (.integer(let one), .real(let other)): return order(Double(one), other)
    case (.real(let one), .integer(let other)): return order(one, Double(other))
    case (.text(let one), .text(let other)):
      return Data(one.utf8).withUnsafeBytes { left in
        Data(other.utf8).withUnsafeBytes { right in CanonicalText.order(left, right) }
      }
    case (.blob(let one), .blob(let other)):
      return one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
    case (let one, let other): return one.rank - other.rank
    }
  }

  /// Not-a-number equals itself, and comes before all numbers.
  private static func order(_ one: Double, _ other: Double) -> Int {
    if one.isNaN || other.isNaN { return one.isNaN ? (other.isNaN ? 0 : -1) : 1 }
    return one == other ? 0 : one < other ? -1 : 1
  }

  private var sortable: StoreValue {
    switch self {
    case .null, .composite, .object, .objects: .null
    case .boolean(let value): .integer(value ? 1 : 0)
    case .integer(let value): .integer(value)
    case .real(let value), .date(let value): .real(value)
    case .decimal(let value): .real(Double(value.description) ?? 0)
    case .text(let value): .text(value)
    case .data(let value): .blob(value)
    case .uuid(let value): .blob(withUnsafeBytes(of: value.uuid) { Data($0) })
    case .archived(let value): .blob((try? value.archived()) ?? Data())
    case .stored(let value): value
    }
  }
}

extension StoreValue {
  fileprivate var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }
}

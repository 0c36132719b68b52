internal import Foundation
internal import FoundationAdditions
internal import StoreRequests

/// A sort key for a value whose type has no order, or not the wanted order.
///
/// A sort descriptor keeps a key path and compares its values. The overloads of `SortDescriptor.init` append a step to
/// the key path that ends in a sort key. So descriptors sort in memory without further code, and the store recognises
/// the order by the type.
protocol SortKey: Comparable, Sendable {
  static var collation: SortTerm.Collation { get }
}

/// A sort key that compares a text by the rules of the locale.
protocol TextSortKey: SortKey {
  var text: String { get }
  /// Compares as the store does.
  static func compare(_ left: String, _ right: String) -> ComparisonResult
}

extension _LocalizedStandardKey: TextSortKey {
  static var collation: SortTerm.Collation { .localizedStandard }

  static func compare(_ left: String, _ right: String) -> ComparisonResult {
    StringFunctions.localizedStandardCompare(left, right)
  }
}

extension _LocalizedKey: TextSortKey {
  static var collation: SortTerm.Collation { .localized }

  static func compare(_ left: String, _ right: String) -> ComparisonResult {
    StringFunctions.localizedCompare(left, right)
  }
}

/// Orders Booleans and enumerations by their column values: `false` before `true`, enumerations by raw value.
public struct _StoredKey<RawValue: Comparable & Sendable>: SortKey {
  let value: RawValue

  static var collation: SortTerm.Collation { .binary }

  /// Whether a value comes before another value.
  public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

extension Bool {
  /// The sort key of a Boolean.
  public var _storedKey: _StoredKey<Int> { _StoredKey(value: self ? 1 : 0) }
}

extension RawRepresentable where RawValue: Comparable & Sendable {
  /// The sort key of an enumeration.
  public var _storedKey: _StoredKey<RawValue> { _StoredKey(value: rawValue) }
}

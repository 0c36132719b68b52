internal import Foundation
internal import StoreRequests
internal import Synchronization

/// A sort key for a value whose type has no order, or not the wanted order.
///
/// A sort descriptor keeps a key path and compares its values. The overloads of `SortDescriptor.init` append a step to
/// the key path that ends in a sort key. So descriptors sort in memory without further code, and the store recognises
/// the order by the type.
public protocol _SortKey: Comparable, Sendable {}

/// The internal side of ``_SortKey``.
protocol SortKey: _SortKey {
  static var collation: SortTerm.Collation { get }
}

/// Orders strings as people expect of a list: ignores case first, and compares digits as numbers.
public struct _LocalizedStandardKey: SortKey {
  let text: String

  static var collation: SortTerm.Collation { .localizedStandard }

  /// Whether two strings compare as equal.
  public static func == (left: Self, right: Self) -> Bool {
    StringFunctions.localizedStandardCompare(left.text, right.text) == .orderedSame
  }

  /// Whether a string comes before another string.
  public static func < (left: Self, right: Self) -> Bool {
    StringFunctions.localizedStandardCompare(left.text, right.text) == .orderedAscending
  }
}

/// Orders strings by the rules of the current locale.
public struct _LocalizedKey: SortKey {
  let text: String

  static var collation: SortTerm.Collation { .localized }

  /// Whether two strings compare as equal.
  public static func == (left: Self, right: Self) -> Bool {
    StringFunctions.localizedCompare(left.text, right.text) == .orderedSame
  }

  /// Whether a string comes before another string.
  public static func < (left: Self, right: Self) -> Bool {
    StringFunctions.localizedCompare(left.text, right.text) == .orderedAscending
  }
}

/// Orders Booleans and enumerations by their column values: `false` before `true`, enumerations by raw value.
public struct _StoredKey<RawValue: Comparable & Sendable>: SortKey {
  let value: RawValue

  static var collation: SortTerm.Collation { .binary }

  /// Whether a value comes before another value.
  public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

extension String {
  /// The sort key for `.localizedStandard`.
  public var _localizedStandardKey: _LocalizedStandardKey { _LocalizedStandardKey(text: self) }
  /// The sort key for `.localized`.
  public var _localizedKey: _LocalizedKey { _LocalizedKey(text: self) }
}

extension Bool {
  /// The sort key of a Boolean.
  public var _storedKey: _StoredKey<Int> { _StoredKey(value: self ? 1 : 0) }
}

extension RawRepresentable where RawValue: Comparable & Sendable {
  /// The sort key of an enumeration.
  public var _storedKey: _StoredKey<RawValue> { _StoredKey(value: rawValue) }
}

/// Maps each key path that ends in a ``_SortKey`` to the key path it was made from; a key path cannot be shortened.
///
/// The map has at most one entry for each sort descriptor in the program's source.
enum SortKeyPaths {
  private struct Known: @unchecked Sendable {
    var origins: [AnyKeyPath: AnyKeyPath] = [:]
  }

  private static let known = Mutex(Known())

  /// Stores the key path from which a longer key path was made.
  static func remember(_ origin: AnyKeyPath, as longer: AnyKeyPath) {
    let entry = (UncheckedKeyPath(keyPath: origin), UncheckedKeyPath(keyPath: longer))
    known.withLock { $0.origins[entry.1.keyPath] = entry.0.keyPath }
  }

  /// The key path to the sorted property, without the step to its sort key.
  static func origin(of keyPath: AnyKeyPath) -> AnyKeyPath {
    let key = UncheckedKeyPath(keyPath: keyPath)
    return known.withLock { UncheckedKeyPath(keyPath: $0.origins[key.keyPath] ?? key.keyPath) }.keyPath
  }

  /// A key path, which is immutable, so that it may cross isolation domains.
  private struct UncheckedKeyPath: @unchecked Sendable {
    let keyPath: AnyKeyPath
  }
}

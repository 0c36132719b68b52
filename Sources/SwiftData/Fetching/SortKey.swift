internal import CoreDataStore
internal import Foundation
internal import Synchronization

/// What a value is sorted by where its type has no order, or not the wanted one.
///
/// A sort descriptor keeps a key path and compares what it leads to. The overloads of `SortDescriptor.init` here append a
/// step to the key path, so that descriptors sort in memory by themselves, and the store recognises the order by the type.
public protocol _SortKey: Comparable, Sendable {}

/// The internal side of ``_SortKey``.
protocol SortKey: _SortKey {
  static var collation: SortTerm.Collation { get }
}

/// Sorts strings as people expect lists to be: case ignored at first, digits by the number they make.
public struct _LocalizedStandardKey: SortKey {
  let text: String

  static var collation: SortTerm.Collation { .localizedStandard }

  /// Whether two strings stand at the same place.
  public static func == (left: Self, right: Self) -> Bool {
    StringFunctions.localizedStandardCompare(left.text, right.text) == .orderedSame
  }

  /// Whether a string stands before another.
  public static func < (left: Self, right: Self) -> Bool {
    StringFunctions.localizedStandardCompare(left.text, right.text) == .orderedAscending
  }
}

/// Sorts strings by the rules of the current locale.
public struct _LocalizedKey: SortKey {
  let text: String

  static var collation: SortTerm.Collation { .localized }

  /// Whether two strings stand at the same place.
  public static func == (left: Self, right: Self) -> Bool {
    StringFunctions.localizedCompare(left.text, right.text) == .orderedSame
  }

  /// Whether a string stands before another.
  public static func < (left: Self, right: Self) -> Bool {
    StringFunctions.localizedCompare(left.text, right.text) == .orderedAscending
  }
}

/// Sorts truth values and enumerations by what their columns hold: false before true, by raw value.
public struct _StoredKey<RawValue: Comparable & Sendable>: SortKey {
  let value: RawValue

  static var collation: SortTerm.Collation { .binary }

  /// Whether a value stands before another.
  public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

extension String {
  /// What ``SortDescriptor`` sorts by for `.localizedStandard`.
  public var _localizedStandardKey: _LocalizedStandardKey { _LocalizedStandardKey(text: self) }
  /// What ``SortDescriptor`` sorts by for `.localized`.
  public var _localizedKey: _LocalizedKey { _LocalizedKey(text: self) }
}

extension Bool {
  /// What ``SortDescriptor`` sorts truth values by.
  public var _storedKey: _StoredKey<Int> { _StoredKey(value: self ? 1 : 0) }
}

extension RawRepresentable where RawValue: Comparable & Sendable {
  /// What ``SortDescriptor`` sorts enumerations by.
  public var _storedKey: _StoredKey<RawValue> { _StoredKey(value: rawValue) }
}

/// Where the key paths that end in a ``_SortKey`` come from: key paths cannot be shortened again.
///
/// There are as many as sort descriptors in the program's text.
enum SortKeyPaths {
  private struct Known: @unchecked Sendable {
    var origins: [AnyKeyPath: AnyKeyPath] = [:]
  }

  private static let known = Mutex(Known())

  /// Remembers which key path a longer one was made of.
  static func remember(_ origin: AnyKeyPath, as longer: AnyKeyPath) {
    let entry = (UncheckedKeyPath(keyPath: origin), UncheckedKeyPath(keyPath: longer))
    known.withLock { $0.origins[entry.1.keyPath] = entry.0.keyPath }
  }

  /// The key path to the property that a key path of a sort descriptor is about.
  static func origin(of keyPath: AnyKeyPath) -> AnyKeyPath {
    let key = UncheckedKeyPath(keyPath: keyPath)
    return known.withLock { UncheckedKeyPath(keyPath: $0.origins[key.keyPath] ?? key.keyPath) }.keyPath
  }

  /// Key paths never change.
  private struct UncheckedKeyPath: @unchecked Sendable {
    let keyPath: AnyKeyPath
  }
}

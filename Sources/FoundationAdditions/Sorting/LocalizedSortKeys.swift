#if !canImport(Darwin)
  internal import Foundation

  // A sort descriptor keeps a key path and compares its values. The overloads of `SortDescriptor.init` append a step to the
  // key path that ends in a sort key. So descriptors sort in memory without further code.

  /// Orders strings as people expect of a list: ignores case first, and compares digits as numbers.
  public struct _LocalizedStandardKey: Comparable, Sendable {
    /// The text of the property.
    package let text: String

    /// Whether two strings compare as equal.
    public static func == (left: Self, right: Self) -> Bool {
      left.text.localizedStandardCompare(right.text) == .orderedSame
    }

    /// Whether a string comes before another string.
    public static func < (left: Self, right: Self) -> Bool {
      left.text.localizedStandardCompare(right.text) == .orderedAscending
    }
  }

  /// Orders strings by the rules of the current locale.
  public struct _LocalizedKey: Comparable, Sendable {
    /// The text of the property.
    package let text: String

    /// Whether two strings compare as equal.
    public static func == (left: Self, right: Self) -> Bool {
      left.text.localizedCompare(right.text) == .orderedSame
    }

    /// Whether a string comes before another string.
    public static func < (left: Self, right: Self) -> Bool {
      left.text.localizedCompare(right.text) == .orderedAscending
    }
  }

  extension String {
    /// The sort key for `.localizedStandard`.
    public var _localizedStandardKey: _LocalizedStandardKey { _LocalizedStandardKey(text: self) }
    /// The sort key for `.localized`.
    public var _localizedKey: _LocalizedKey { _LocalizedKey(text: self) }
  }
#endif

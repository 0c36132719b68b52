#if !canImport(Darwin)
  public import Foundation

  /// A localised comparison of strings, which Foundation on Linux lacks beside `.lexical`.
  ///
  ///     names.sorted(using: .localizedStandard)
  ///     SortDescriptor(\Book.title, comparator: .localized)
  ///
  /// Apple: `String.StandardComparator`.
  public struct StringSortComparator: SortComparator, Sendable {
    enum Kind: Sendable, Hashable { case localized, localizedStandard }

    let kind: Kind
    /// Whether the comparison is reversed; `.forward` at first.
    public var order: SortOrder = .forward

    /// How two strings are ordered.
    public func compare(_ left: String, _ right: String) -> ComparisonResult {
      let result =
        switch kind {
        case .localized: left.localizedCompare(right)
        case .localizedStandard: left.localizedStandardCompare(right)
        }
      guard order == .reverse else { return result }
      return switch result {
      case .orderedAscending: .orderedDescending
      case .orderedDescending: .orderedAscending
      case .orderedSame: .orderedSame
      }
    }
  }

  extension SortComparator where Self == StringSortComparator {
    /// Compares as people expect of a list: ignores case first, and compares digits as numbers.
    public static var localizedStandard: StringSortComparator { StringSortComparator(kind: .localizedStandard) }
    /// Compares by the rules of the current locale.
    public static var localized: StringSortComparator { StringSortComparator(kind: .localized) }
  }

  extension String.StandardComparator {
    /// Compares as people expect of a list; see ``StringSortComparator``.
    public static var localizedStandard: StringSortComparator { .localizedStandard }
    /// Compares by the rules of the current locale; see ``StringSortComparator``.
    public static var localized: StringSortComparator { .localized }
  }
#endif

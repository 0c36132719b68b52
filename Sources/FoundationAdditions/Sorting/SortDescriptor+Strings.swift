#if !canImport(Darwin)
  public import Foundation

  // Foundation on Linux lacks the localised comparators.

  /// The string comparison of a sort descriptor; an addition to Foundation's `.lexical`.
  ///
  /// Apple: `String.StandardComparator`, whose localised values Foundation on Linux lacks.
  public struct StringSortComparator: Sendable, Hashable {
    enum Kind: Sendable, Hashable { case localized, localizedStandard }

    let kind: Kind

    /// Compares as people expect of a list: ignores case first, and compares digits as numbers.
    public static let localizedStandard = StringSortComparator(kind: .localizedStandard)
    /// Compares by the rules of the current locale.
    public static let localized = StringSortComparator(kind: .localized)
  }

  extension SortDescriptor {
    /// Sorts by a string with `.localizedStandard`.
    public init(_ keyPath: any KeyPath<Compared, String> & Sendable, order: SortOrder = .forward) {
      self.init(keyPath, comparator: .localizedStandard, order: order)
    }

    /// Sorts by a string with `.localizedStandard`; `nil` comes first.
    public init(_ keyPath: any KeyPath<Compared, String?> & Sendable, order: SortOrder = .forward) {
      self.init(keyPath, comparator: .localizedStandard, order: order)
    }

    /// Sorts by a string with a localised comparator.
    public init(
      _ keyPath: any KeyPath<Compared, String> & Sendable, comparator: StringSortComparator, order: SortOrder = .forward
    ) {
      switch comparator.kind {
      case .localized: self.init(SortKeyPaths.appending(keyPath, \._localizedKey), order: order)
      case .localizedStandard: self.init(SortKeyPaths.appending(keyPath, \._localizedStandardKey), order: order)
      }
    }

    /// Sorts by a string with a localised comparator; `nil` comes first.
    public init(
      _ keyPath: any KeyPath<Compared, String?> & Sendable, comparator: StringSortComparator,
      order: SortOrder = .forward
    ) {
      switch comparator.kind {
      case .localized: self.init(SortKeyPaths.appending(keyPath, \.?._localizedKey), order: order)
      case .localizedStandard: self.init(SortKeyPaths.appending(keyPath, \.?._localizedStandardKey), order: order)
      }
    }
  }
#endif

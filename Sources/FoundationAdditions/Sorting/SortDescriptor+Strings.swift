#if !canImport(Darwin)
  public import Foundation

  extension SortDescriptor {
    /// Sorts by a string with `.localizedStandard`.
    public init(_ keyPath: any KeyPath<Compared, String> & Sendable, order: SortOrder = .forward) {
      self.init(keyPath, comparator: .localizedStandard, order: order)
    }

    /// Sorts by a string with `.localizedStandard`; `nil` comes first.
    public init(_ keyPath: any KeyPath<Compared, String?> & Sendable, order: SortOrder = .forward) {
      self.init(keyPath, comparator: .localizedStandard, order: order)
    }

    /// Sorts by a string with a localised comparator, in its order if no other is given.
    public init(
      _ keyPath: any KeyPath<Compared, String> & Sendable, comparator: StringSortComparator, order: SortOrder? = nil
    ) {
      let order = order ?? comparator.order
      switch comparator.kind {
      case .localized: self.init(SortKeyPaths.appending(keyPath, \._localizedKey), order: order)
      case .localizedStandard: self.init(SortKeyPaths.appending(keyPath, \._localizedStandardKey), order: order)
      }
    }

    /// Sorts by a string with a localised comparator, in its order if no other is given; `nil` comes first.
    public init(
      _ keyPath: any KeyPath<Compared, String?> & Sendable, comparator: StringSortComparator,
      order: SortOrder? = nil
    ) {
      let order = order ?? comparator.order
      switch comparator.kind {
      case .localized: self.init(SortKeyPaths.appending(keyPath, \.?._localizedKey), order: order)
      case .localizedStandard: self.init(SortKeyPaths.appending(keyPath, \.?._localizedStandardKey), order: order)
      }
    }
  }
#endif

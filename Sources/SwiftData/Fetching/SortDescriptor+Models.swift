public import Foundation

// Foundation for Linux lacks the localised comparators, and no Foundation sorts truth values and enumerations.

/// How a sort descriptor on a model compares strings, beside Foundation's `.lexical`.
///
/// Apple: `String.StandardComparator`, whose localised values Foundation for Linux does not have.
public struct StringSortComparator: Sendable, Hashable {
  enum Kind: Sendable, Hashable { case localized, localizedStandard }

  let kind: Kind

  /// As people expect lists to be sorted: case ignored at first, digits by the number they make.
  public static let localizedStandard = StringSortComparator(kind: .localizedStandard)
  /// By the rules of the current locale.
  public static let localized = StringSortComparator(kind: .localized)
}

extension SortDescriptor where Compared: PersistentModel {
  /// Sorts by a string, as people expect lists to be sorted.
  public init(_ keyPath: any KeyPath<Compared, String> & Sendable, order: SortOrder = .forward) {
    self.init(keyPath, comparator: .localizedStandard, order: order)
  }

  /// Sorts by a string, as people expect lists to be sorted; `nil` comes first.
  public init(_ keyPath: any KeyPath<Compared, String?> & Sendable, order: SortOrder = .forward) {
    self.init(keyPath, comparator: .localizedStandard, order: order)
  }

  /// Sorts by a string with a localised comparator.
  public init(
    _ keyPath: any KeyPath<Compared, String> & Sendable, comparator: StringSortComparator, order: SortOrder = .forward
  ) {
    switch comparator.kind {
    case .localized: self.init(appending(keyPath, \._localizedKey), order: order)
    case .localizedStandard: self.init(appending(keyPath, \._localizedStandardKey), order: order)
    }
  }

  /// Sorts by a string with a localised comparator; `nil` comes first.
  public init(
    _ keyPath: any KeyPath<Compared, String?> & Sendable, comparator: StringSortComparator, order: SortOrder = .forward
  ) {
    switch comparator.kind {
    case .localized: self.init(appending(keyPath, \.?._localizedKey), order: order)
    case .localizedStandard: self.init(appending(keyPath, \.?._localizedStandardKey), order: order)
    }
  }

  /// Sorts by a truth value, false first. Not in Apple's Foundation.
  public init(_ keyPath: any KeyPath<Compared, Bool> & Sendable, order: SortOrder = .forward) {
    self.init(appending(keyPath, \._storedKey), order: order)
  }

  /// Sorts by a truth value: `nil`, false, true. Not in Apple's Foundation.
  public init(_ keyPath: any KeyPath<Compared, Bool?> & Sendable, order: SortOrder = .forward) {
    self.init(appending(keyPath, \.?._storedKey), order: order)
  }

  /// Sorts by an enumeration's raw value. Not in Apple's Foundation.
  @_disfavoredOverload
  public init<Value: RawRepresentable>(
    _ keyPath: any KeyPath<Compared, Value> & Sendable, order: SortOrder = .forward
  ) where Value.RawValue: Comparable & Sendable {
    self.init(appending(keyPath, \._storedKey), order: order)
  }

  /// Sorts by an enumeration's raw value; `nil` comes first. Not in Apple's Foundation.
  @_disfavoredOverload
  public init<Value: RawRepresentable>(
    _ keyPath: any KeyPath<Compared, Value?> & Sendable, order: SortOrder = .forward
  ) where Value.RawValue: Comparable & Sendable {
    self.init(appending(keyPath, \.?._storedKey), order: order)
  }
}

/// A longer key path; of `Sendable` ones, since it holds nothing that they do not. ``SortKeyPaths`` remembers its beginning.
private func appending<Root, Middle, Value>(
  _ keyPath: any KeyPath<Root, Middle> & Sendable, _ step: any KeyPath<Middle, Value> & Sendable
) -> any KeyPath<Root, Value> & Sendable {
  let first: KeyPath<Root, Middle> = keyPath
  let longer = first.appending(path: step)
  SortKeyPaths.remember(keyPath, as: longer)
  return unsafeBitCast(longer, to: (any KeyPath<Root, Value> & Sendable).self)
}

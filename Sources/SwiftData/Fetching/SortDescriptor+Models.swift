public import Foundation

// Foundation on Linux lacks the localised comparators. No Foundation sorts Booleans and enumerations.

/// The string comparison of a sort descriptor on a model; an addition to Foundation's `.lexical`.
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

extension SortDescriptor where Compared: PersistentModel {
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

  /// Sorts by a Boolean, `false` first. Not in Apple's Foundation.
  public init(_ keyPath: any KeyPath<Compared, Bool> & Sendable, order: SortOrder = .forward) {
    self.init(appending(keyPath, \._storedKey), order: order)
  }

  /// Sorts by an optional Boolean: `nil`, `false`, `true`. Not in Apple's Foundation.
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

/// Appends a step to a key path; the result is `Sendable` because both parts are. ``SortKeyPaths`` remembers the first.
private func appending<Root, Middle, Value>(
  _ keyPath: any KeyPath<Root, Middle> & Sendable, _ step: any KeyPath<Middle, Value> & Sendable
) -> any KeyPath<Root, Value> & Sendable {
  let first: KeyPath<Root, Middle> = keyPath
  let longer = first.appending(path: step)
  SortKeyPaths.remember(keyPath, as: longer)
  return unsafeBitCast(longer, to: (any KeyPath<Root, Value> & Sendable).self)
}

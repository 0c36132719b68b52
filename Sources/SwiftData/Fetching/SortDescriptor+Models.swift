public import Foundation
internal import FoundationAdditions

// No Foundation sorts Booleans and enumerations.

extension SortDescriptor where Compared: PersistentModel {
  /// Sorts by a Boolean, `false` first. Not in Apple's Foundation.
  public init(_ keyPath: any KeyPath<Compared, Bool> & Sendable, order: SortOrder = .forward) {
    self.init(SortKeyPaths.appending(keyPath, \._storedKey), order: order)
  }

  /// Sorts by an optional Boolean: `nil`, `false`, `true`. Not in Apple's Foundation.
  public init(_ keyPath: any KeyPath<Compared, Bool?> & Sendable, order: SortOrder = .forward) {
    self.init(SortKeyPaths.appending(keyPath, \.?._storedKey), order: order)
  }

  /// Sorts by an enumeration's raw value. Not in Apple's Foundation.
  @_disfavoredOverload
  public init<Value: RawRepresentable>(
    _ keyPath: any KeyPath<Compared, Value> & Sendable, order: SortOrder = .forward
  ) where Value.RawValue: Comparable & Sendable {
    self.init(SortKeyPaths.appending(keyPath, \._storedKey), order: order)
  }

  /// Sorts by an enumeration's raw value; `nil` comes first. Not in Apple's Foundation.
  @_disfavoredOverload
  public init<Value: RawRepresentable>(
    _ keyPath: any KeyPath<Compared, Value?> & Sendable, order: SortOrder = .forward
  ) where Value.RawValue: Comparable & Sendable {
    self.init(SortKeyPaths.appending(keyPath, \.?._storedKey), order: order)
  }
}

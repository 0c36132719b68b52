public import Foundation
internal import FoundationAdditions

// No Foundation sorts Booleans and enumerations.

extension SortDescriptor {
  /// Foundation's key path, which may end in a step to a sort key.
  var comparedKeyPath: PartialKeyPath<Compared>? { keyPath }
}

extension SortDescriptor where Compared: PersistentModel {
  #if !canImport(Darwin)
    /// The key path to the sorted property; `nil` for a descriptor of a comparison. A store of a client translates it.
    ///
    /// Apple: `SortDescriptor.keyPath`.
    public var keyPath: PartialKeyPath<Compared>? {
      comparedKeyPath.map { SortKeyPaths.origin(of: $0) } as? PartialKeyPath<Compared>
    }
  #endif

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

#if !canImport(Darwin)
  internal import Synchronization

  /// Maps each key path that ends in a sort key to the key path it was made from; a key path cannot be shortened.
  ///
  /// The map has at most one entry for each sort descriptor in the program's source.
  package enum SortKeyPaths {
    private struct Known: @unchecked Sendable {
      var origins: [AnyKeyPath: AnyKeyPath] = [:]
    }

    private static let known = Mutex(Known())

    /// Appends the step to a sort key, and remembers the key path before it.
    ///
    /// The result is `Sendable` because both parts are.
    package static func appending<Root, Middle, Value>(
      _ keyPath: any KeyPath<Root, Middle> & Sendable, _ step: any KeyPath<Middle, Value> & Sendable
    ) -> any KeyPath<Root, Value> & Sendable {
      let first: KeyPath<Root, Middle> = keyPath
      let longer = first.appending(path: step)
      remember(keyPath, as: longer)
      return unsafeBitCast(longer, to: (any KeyPath<Root, Value> & Sendable).self)
    }

    /// Stores the key path from which a longer key path was made.
    private static func remember(_ origin: AnyKeyPath, as longer: AnyKeyPath) {
      let entry = (UncheckedKeyPath(keyPath: origin), UncheckedKeyPath(keyPath: longer))
      known.withLock { $0.origins[entry.1.keyPath] = entry.0.keyPath }
    }

    /// The key path to the sorted property, without the step to its sort key.
    package static func origin(of keyPath: AnyKeyPath) -> AnyKeyPath {
      let key = UncheckedKeyPath(keyPath: keyPath)
      return known.withLock { UncheckedKeyPath(keyPath: $0.origins[key.keyPath] ?? key.keyPath) }.keyPath
    }

    /// A key path, which is immutable, so that it may cross isolation domains.
    private struct UncheckedKeyPath: @unchecked Sendable {
      let keyPath: AnyKeyPath
    }
  }
#endif

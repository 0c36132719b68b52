#if !canImport(Darwin)
  /// A type that lists the key paths which an archived predicate may have, so that code with such lists compiles.
  ///
  /// Foundation on Linux archives no predicates, and nothing here reads the list. Apple: `PredicateCodableKeyPathProviding`.
  public protocol PredicateCodableKeyPathProviding {
    /// The key paths by the names that an archive has for them.
    @preconcurrency static var predicateCodableKeyPaths: [String: any PartialKeyPath<Self> & Sendable] { get }
  }
#endif

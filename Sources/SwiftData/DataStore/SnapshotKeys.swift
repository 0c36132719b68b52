internal import StoreRequests

/// The integers that stand for a custom store's own keys, as long as the store is open.
struct SnapshotKeys {
  private var keys: [PersistentIdentifier: ObjectKey] = [:]
  private var identifiers: [ObjectKey: PersistentIdentifier] = [:]
  private var versions: [ObjectKey: (version: Int64, hash: SnapshotHash)] = [:]
  /// By hierarchy.
  private var lastKeys: [Int: Int64] = [:]

  /// The key of an identifier; gives it one at the first sight.
  mutating func key(of identifier: PersistentIdentifier, _ entity: StoreEntity) -> ObjectKey {
    if let known = keys[identifier] { return known }
    let key = (lastKeys[entity.hierarchy] ?? 0) + 1
    lastKeys[entity.hierarchy] = key
    let object = ObjectKey(entity: entity.number, key: key)
    keys[identifier] = object
    identifiers[object] = identifier
    return object
  }

  func identifier(of object: ObjectKey) -> PersistentIdentifier? { identifiers[object] }

  func known(_ identifier: PersistentIdentifier) -> ObjectKey? { keys[identifier] }

  /// The version of a row with these values: it grows when the values differ from those seen before.
  mutating func version(of object: ObjectKey, hash: SnapshotHash) -> Int64 {
    guard let known = versions[object] else {
      versions[object] = (1, hash)
      return 1
    }
    guard known.hash.differs(from: hash) else {
      versions[object]?.hash.learnMembers(of: hash)
      return known.version
    }
    versions[object] = (known.version + 1, hash)
    return known.version + 1
  }

  /// The version of a row that was written with these values.
  mutating func written(_ object: ObjectKey, hash: SnapshotHash) -> Int64 {
    let version = (versions[object]?.version ?? 0) + 1
    versions[object] = (version, hash)
    return version
  }

  /// Whether the row was read or written since its deletion.
  func isStored(_ object: ObjectKey) -> Bool { versions[object] != nil }

  mutating func forget(_ object: ObjectKey) { versions[object] = nil }

  /// Forgets all rows, and returns their keys in order.
  mutating func forgetAll() -> [ObjectKey] {
    defer { versions = [:] }
    return versions.keys.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
  }
}

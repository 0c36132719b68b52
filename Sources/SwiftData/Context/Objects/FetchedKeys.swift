/// The keys of one fetch, in its order.
///
/// When one object loads a value, the objects after it load the same value, so that a loop over the result does not
/// query for each object.
struct FetchedKeys {
  let binding: EntityBinding
  let keys: [Int64]
  /// The end of the last search; the next search usually starts there.
  private var position = 0
  /// The number of searches that did not find their key nearby.
  private var farSearches = 0
  /// The places of the keys, by key; made when there are many searches of this kind.
  private var order: [Int32]?

  /// The number of objects loaded together.
  static let batchSize = 256
  /// After this many passes over all keys, they are sorted.
  private static let passLimit = 16

  init(binding: EntityBinding, keys: [Int64]) {
    self.binding = binding
    self.keys = keys
  }

  /// One batch of keys from a given key on; `nil` if the key is not in the fetch.
  mutating func batch(from key: Int64) -> ArraySlice<Int64>? {
    guard let found = place(of: key) else { return nil }
    position = found
    return keys[found...].prefix(FetchedKeys.batchSize)
  }

  private mutating func place(of key: Int64) -> Int? {
    if let near = keys[position...].prefix(FetchedKeys.batchSize + 1).firstIndex(of: key) { return near }
    if let order { return place(of: key, order) }
    farSearches += 1
    guard farSearches > FetchedKeys.passLimit else { return keys.firstIndex(of: key) }
    let sorted = keys.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }.map { Int32(truncatingIfNeeded: $0) }
    order = sorted
    return place(of: key, sorted)
  }

  private func place(of key: Int64, _ order: [Int32]) -> Int? {
    var (low, high) = (0, order.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[Int(order[middle])] < key { low = middle + 1 } else { high = middle }
    }
    guard low < order.count, keys[Int(order[low])] == key else { return nil }
    return Int(order[low])
  }
}

/// The keys of the fetches that were made or used last.
///
/// A loop over the objects of one fetch that reads their relationships makes many fetches of other classes. So each table keeps some of
/// its own, and a fetch that is in use is kept longer than others.
struct RecentFetches {
  /// The last used one first.
  private var fetches: [FetchedKeys] = []

  /// The number of fetches that are kept of one table, and of all tables together.
  private static let limits = (table: 8, all: 32)

  mutating func add(_ fetch: FetchedKeys) {
    let table = fetch.binding.table
    if fetches.count(where: { $0.binding.table == table }) >= Self.limits.table,
      let last = fetches.lastIndex(where: { $0.binding.table == table })
    {
      fetches.remove(at: last)
    } else if fetches.count >= Self.limits.all {
      fetches.removeLast()
    }
    fetches.insert(fetch, at: 0)
  }

  /// One batch of a fetch's keys from a given key on, as a part of all its keys; `nil` if no fetch has the key.
  mutating func batch(from key: Int64, in table: Int) -> ArraySlice<Int64>? {
    for index in fetches.indices where fetches[index].binding.table == table {
      guard let batch = fetches[index].batch(from: key) else { continue }
      if index > 0 { fetches.insert(fetches.remove(at: index), at: 0) }
      return batch
    }
    return nil
  }

  /// The keys that precede a batch of ``batch(from:in:)`` in its fetch, as many as a batch has.
  func keys(before batch: ArraySlice<Int64>) -> ArraySlice<Int64> {
    fetches.first?.keys[..<batch.startIndex].suffix(FetchedKeys.batchSize) ?? []
  }
}

/// The keys of faults that wait to be filled, by the tag of their entity, in the order of their creation.
///
/// Some may be filled by now. Cost: constant for each key.
struct OpenFaults {
  private var queues: [Int32: Queue] = [:]

  private struct Queue {
    private var keys: [Int64] = []
    /// The place of the oldest key.
    private var first = 0
    /// Once there are this many keys, the repeated ones are removed.
    private var sweepThreshold = 1024

    mutating func add(_ key: Int64) {
      if keys.count >= sweepThreshold { removeRepetitions() }
      keys.append(key)
    }

    mutating func next() -> Int64? {
      guard first < keys.count else { return nil }
      first += 1
      return keys[first - 1]
    }

    /// An object can become a fault again and again, without being read.
    private mutating func removeRepetitions() {
      var seen: Set<Int64> = []
      keys = keys[first...].filter { seen.insert($0).inserted }
      first = 0
      sweepThreshold = max(1024, 2 * keys.count)
    }
  }

  mutating func add(_ key: Int64, of tag: Int32) {
    queues[tag, default: Queue()].add(key)
  }

  /// Removes and returns the oldest key of an entity.
  mutating func next(of tag: Int32) -> Int64? {
    guard let key = queues[tag]?.next() else {
      queues[tag] = nil
      return nil
    }
    return key
  }
}

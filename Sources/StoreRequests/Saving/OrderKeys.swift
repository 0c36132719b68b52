/// Values for the order columns of ordered relationships (CD-3.4).
///
/// Successive values lie 1024 apart, so that most insertions move no other row.
package enum OrderKeys {
  package static let first: Int64 = 2048
  package static let step: Int64 = 1024
  /// The largest value: Core Data's own values are not known to exceed 32 bits.
  package static let limit = Int64(Int32.max)
  /// The smallest gap between values, after members around a full gap had to move.
  private static let spread: Int64 = 256

  /// Returns the value for an object that follows all others; `nil` if other objects must move to make room.
  package static func next(after last: Int64?) -> Int64? {
    guard let last, last >= first else { return first }
    return last <= limit - step ? last + step : nil
  }

  /// Returns a value for each member of a sequence, and keeps the values of most members.
  ///
  /// New members between two others divide the gap into equal parts. New members after the last one take steps of
  /// 1024. If a gap has no room, the members around it also move, as few as possible.
  /// - Parameter current: the members' present values in the wanted order; `nil` for new members.
  /// - Returns: strictly increasing values from 1 to ``limit``.
  package static func assign(_ current: [Int64?]) -> [Int64] {
    let anchors = anchors(current)
    var result = [Int64](repeating: 0, count: current.count)
    for (low, high) in zip(anchors, anchors.dropFirst()) {
      let count = high.index - low.index - 1
      if high.index < current.count { result[high.index] = high.value }
      guard count > 0 else { continue }
      let isLast = high.index == current.count
      let part = gap(low, high, isLast: isLast)
      let start = isLast && low.index < 0 && part == step ? first - step : low.value
      for offset in 1...count { result[low.index + offset] = start + part * Int64(offset) }
    }
    return result
  }

  /// A member that keeps its value.
  ///
  /// Two further anchors mark the sequence's ends: one before all members, one after them.
  private struct Anchor {
    let index: Int
    let value: Int64
  }

  /// Returns the members that keep their values, with enough room between each two of them for the members that move.
  private static func anchors(_ current: [Int64?]) -> [Anchor] {
    var candidates = [Anchor(index: -1, value: 0)]
    candidates += longestIncreasing(current).compactMap { index in
      current[index].map { Anchor(index: index, value: $0) }
    }
    candidates.append(Anchor(index: current.count, value: limit + 1))
    let last = candidates.count - 1
    var kept = [candidates[0]]
    var next = 1
    while next <= last {
      var isWidened = false
      while let low = kept.last, candidates[next].index - low.index > 1,
        gap(low, candidates[next], isLast: next == last) < (isWidened ? spread : 1)
      {
        // The neighbour on the side that gives more room moves. At both ends no neighbour remains.
        let left = kept.count > 1 ? gap(kept[kept.count - 2], candidates[next], isLast: next == last) : -1
        let right = next < last ? gap(low, candidates[next + 1], isLast: next + 1 == last) : -1
        guard left >= 0 || right >= 0 else { break }
        if left > right { kept.removeLast() } else { next += 1 }
        isWidened = true
      }
      kept.append(candidates[next])
      next += 1
    }
    return kept
  }

  /// Returns the distance of successive values between two anchors.
  private static func gap(_ low: Anchor, _ high: Anchor, isLast: Bool) -> Int64 {
    let count = Int64(high.index - low.index)
    let isOpen = isLast && (low.index < 0 ? first : low.value + step) <= limit - step * max(count - 2, 0)
    return isOpen ? step : (high.value - low.value) / count
  }

  /// Returns the positions of a longest strictly increasing run of usable values, by patience sorting.
  private static func longestIncreasing(_ values: [Int64?]) -> [Int] {
    var tails: [Int] = []
    var previous = [Int](repeating: -1, count: values.count)
    for (index, value) in values.enumerated() {
      guard let value, (1...limit).contains(value) else { continue }
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if let tail = values[tails[middle]], tail < value { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var result: [Int] = []
    var next = tails.last ?? -1
    while next >= 0 {
      result.append(next)
      next = previous[next]
    }
    return result.reversed()
  }
}

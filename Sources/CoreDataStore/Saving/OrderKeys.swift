/// Values for the order columns of ordered relationships (CD-3.4): gaps of 1024, so that most insertions move nothing.
enum OrderKeys {
  static let first: Int64 = 2048
  static let step: Int64 = 1024

  /// A new value for each member of a sequence, those of the most members being kept.
  ///
  /// - Parameter current: the members' present values in the wanted order; `nil` for new members.
  /// - Returns: strictly increasing values, positive. If a gap has no room for what has to go into it, all are new.
  static func assign(_ current: [Int64?]) -> [Int64] {
    let kept = longestIncreasing(current)
    var result = [Int64](repeating: 0, count: current.count)
    var low: Int64 = 0
    var start = 0
    for index in kept {
      guard let value = current[index] else { continue }
      let count = Int64(index - start)
      // Equal parts of the gap; the first and last values stay apart from their neighbours.
      let part = (value - low) / (count + 1)
      if count > 0 && part < 1 { return fresh(current.count) }
      for offset in 0..<Int(count) { result[start + offset] = low + part * Int64(offset + 1) }
      result[index] = value
      low = value
      start = index + 1
    }
    for index in start..<max(start, current.count) {
      let (next, overflow) = low.addingReportingOverflow(low == 0 ? first : step)
      if overflow { return fresh(current.count) }
      result[index] = next
      low = next
    }
    return result
  }

  private static func fresh(_ count: Int) -> [Int64] { (0..<count).map { first + step * Int64($0) } }

  /// Positions of a longest strictly increasing run of positive values, by patience sorting.
  private static func longestIncreasing(_ values: [Int64?]) -> [Int] {
    var tails: [Int] = []
    var previous = [Int](repeating: -1, count: values.count)
    for (index, value) in values.enumerated() {
      guard let value, value > 0 else { continue }
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

extension Array {
  /// The first elements in a given order. Elements that are equal in this order keep their places relative to each other.
  ///
  /// Cost: about one comparison for each element if few of many are wanted. Otherwise about three for each element, and a sort of the
  /// elements from `start` to `count`.
  ///
  /// - Parameter start: the number of elements at the beginning of the result that may be in any order.
  package func sortedPrefix(
    _ count: Int, from start: Int = 0, by isBefore: (Element, Element) throws -> Bool
  ) rethrows -> [Element] {
    guard count > 0 else { return [] }
    // Each insertion moves elements.
    guard count <= 4096, count <= self.count / 8 else {
      let wanted = Swift.min(start, self.count)..<Swift.min(Swift.max(start, count), self.count)
      return try places(sorting: wanted, by: isBefore).prefix(count).map { self[$0] }
    }
    var first = try self[..<count].sorted(by: isBefore)
    for element in self[count...] where try isBefore(element, first[count - 1]) {
      var (low, high) = (0, count - 1)
      while low < high {
        let middle = (low + high) / 2
        if try isBefore(element, first[middle]) { high = middle } else { low = middle + 1 }
      }
      first.removeLast()
      first.insert(element, at: low)
    }
    return first
  }

  /// The places of the elements in a given order, sorted in the wanted range only. The elements before and behind this range belong
  /// there, and are in any order.
  ///
  /// Divides the elements like a quicksort, and does not sort the parts outside the range.
  private func places(
    sorting wanted: Range<Int>, by isBefore: (Element, Element) throws -> Bool
  ) rethrows -> [Int] {
    // Equal elements are ordered by their places.
    func precedes(_ one: Int, _ other: Int) throws -> Bool {
      try one < other ? !isBefore(self[other], self[one]) : isBefore(self[one], self[other])
    }
    var places = [Int](indices)
    // Some orders of elements make uneven parts. After so many divisions, a part is sorted as a whole.
    var parts = [(range: places.indices, divisions: 2 * (Int.bitWidth - self.count.leadingZeroBitCount))]
    while let (range, divisions) = parts.popLast() {
      guard range.overlaps(wanted), range.count > 1 else { continue }
      let isInside = wanted.lowerBound <= range.lowerBound && range.upperBound <= wanted.upperBound
      if isInside || range.count <= 16 || divisions == 0 {
        places[range] = try places[range].sorted(by: precedes)[...]
        continue
      }
      let middle = try places.divide(range, by: precedes)
      parts.append((range.lowerBound..<middle, divisions - 1))
      parts.append((middle + 1..<range.upperBound, divisions - 1))
    }
    return places
  }
}

extension [Int] {
  /// Divides a range by one of its elements, the median of a sample: elements that precede it come before it, the others behind it.
  ///
  /// - Returns: the new place of this element.
  fileprivate mutating func divide(_ range: Range<Int>, by precedes: (Int, Int) throws -> Bool) rethrows -> Int {
    let last = range.upperBound - 1
    let sample = stride(from: range.lowerBound, through: last, by: Swift.max(1, range.count / Self.sampleSize))
    let sorted = try sample.sorted { try precedes(self[$0], self[$1]) }
    swapAt(sorted[sorted.count / 2], last)
    let pivot = self[last]
    var place = range.lowerBound
    for index in range.lowerBound..<last where try precedes(self[index], pivot) {
      swapAt(index, place)
      place += 1
    }
    swapAt(place, last)
    return place
  }

  private static var sampleSize: Int { 15 }
}

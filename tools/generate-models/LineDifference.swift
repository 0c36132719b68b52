/// The lines to remove from one text, and the lines to insert, to make another text from it.
///
/// Lines that occur once in both texts are fixed points: the longest ascending run of them is kept ("patience"
/// difference). The lines between two fixed points are compared in the same way. So the time for long texts with few
/// changes is near linear, and texts without common lines do not take quadratic time and memory.
struct LineDifference {
  /// Lines `new` of the second text replace lines `old` of the first; one of the ranges may be empty.
  struct Change: Equatable {
    var old: Range<Int>
    var new: Range<Int>
  }

  /// Changes in ascending order, with at least one common line between any two.
  static func changes<Line: Hashable>(from old: [Line], to new: [Line]) -> [Change] {
    var numbers: [Line: Int] = [:]
    func number(_ line: Line) -> Int {
      if let number = numbers[line] { return number }
      numbers[line] = numbers.count
      return numbers.count - 1
    }
    var difference = LineDifference(old: old.map(number), new: new.map(number))
    difference.compare(0..<old.count, 0..<new.count, depth: 0)
    return difference.changes
  }

  private let old: [Int]
  private let new: [Int]
  private var changes: [Change] = []

  private init(old: [Int], new: [Int]) {
    self.old = old
    self.new = new
  }

  private mutating func compare(_ oldRange: Range<Int>, _ newRange: Range<Int>, depth: Int) {
    var (oldRange, newRange) = (oldRange, newRange)
    while let line = oldRange.first, let other = newRange.first, old[line] == new[other] {
      oldRange = line + 1..<oldRange.upperBound
      newRange = other + 1..<newRange.upperBound
    }
    while let line = oldRange.last, let other = newRange.last, old[line] == new[other] {
      oldRange = oldRange.lowerBound..<line
      newRange = newRange.lowerBound..<other
    }
    guard !oldRange.isEmpty, !newRange.isEmpty else { return record(oldRange, newRange) }
    let points = depth < 100 ? fixedPoints(oldRange, newRange) : []
    if points.isEmpty { return compareClosely(oldRange, newRange) }
    var (oldStart, newStart) = (oldRange.lowerBound, newRange.lowerBound)
    for point in points {
      compare(oldStart..<point.old, newStart..<point.new, depth: depth + 1)
      (oldStart, newStart) = (point.old + 1, point.new + 1)
    }
    compare(oldStart..<oldRange.upperBound, newStart..<newRange.upperBound, depth: depth + 1)
  }

  private mutating func record(_ oldRange: Range<Int>, _ newRange: Range<Int>) {
    guard !(oldRange.isEmpty && newRange.isEmpty) else { return }
    if let last = changes.last, last.old.upperBound == oldRange.lowerBound, last.new.upperBound == newRange.lowerBound {
      changes[changes.count - 1] = Change(
        old: last.old.lowerBound..<oldRange.upperBound, new: last.new.lowerBound..<newRange.upperBound)
    } else {
      changes.append(Change(old: oldRange, new: newRange))
    }
  }

  /// Finds the shortest difference if the ranges are small; otherwise replaces all lines.
  private mutating func compareClosely(_ oldRange: Range<Int>, _ newRange: Range<Int>) {
    guard oldRange.count + newRange.count <= 1_000 else { return record(oldRange, newRange) }
    var isRemoved = Array(repeating: false, count: oldRange.count)
    var isInserted = Array(repeating: false, count: newRange.count)
    for change in Array(new[newRange]).difference(from: Array(old[oldRange])) {
      switch change {
      case .remove(let offset, _, _): isRemoved[offset] = true
      case .insert(let offset, _, _): isInserted[offset] = true
      }
    }
    var (line, other) = (0, 0)
    while line < oldRange.count || other < newRange.count {
      let (start, otherStart) = (line, other)
      while line < oldRange.count, isRemoved[line] { line += 1 }
      while other < newRange.count, isInserted[other] { other += 1 }
      if line == start, other == otherStart {
        line += 1
        other += 1
      } else {
        record(
          oldRange.lowerBound + start..<oldRange.lowerBound + line,
          newRange.lowerBound + otherStart..<newRange.lowerBound + other)
      }
    }
  }

  /// The lines that are unique on both sides, without lines that break their order.
  private func fixedPoints(_ oldRange: Range<Int>, _ newRange: Range<Int>) -> [(old: Int, new: Int)] {
    let positions = Self.uniquePositions(of: old, in: oldRange)
    let otherPositions = Self.uniquePositions(of: new, in: newRange)
    let common = oldRange.compactMap { position -> (old: Int, new: Int)? in
      guard positions[old[position]] == position, let other = otherPositions[old[position]] else { return nil }
      return (position, other)
    }
    return Self.longestAscent(common)
  }

  private static func uniquePositions(of lines: [Int], in range: Range<Int>) -> [Int: Int] {
    var positions: [Int: Int] = [:]
    var repeated: Set<Int> = []
    for position in range {
      if positions.updateValue(position, forKey: lines[position]) != nil { repeated.insert(lines[position]) }
    }
    for line in repeated { positions[line] = nil }
    return positions
  }

  /// The longest subsequence whose `new` positions ascend, by patience sorting: time n log n.
  private static func longestAscent(_ points: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
    var tops: [Int] = []
    var previous: [Int?] = []
    for (index, point) in points.enumerated() {
      var (low, high) = (0, tops.count)
      while low < high {
        let middle = (low + high) / 2
        if points[tops[middle]].new < point.new { low = middle + 1 } else { high = middle }
      }
      previous.append(low > 0 ? tops[low - 1] : nil)
      if low == tops.count { tops.append(index) } else { tops[low] = index }
    }
    var result: [(old: Int, new: Int)] = []
    var next = tops.last
    while let index = next {
      result.append(points[index])
      next = previous[index]
    }
    return result.reversed()
  }
}

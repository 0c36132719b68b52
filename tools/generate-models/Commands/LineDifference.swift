/// The lines to remove from one text, and the lines to insert, to make another text from it.
enum LineDifference {
  /// Lines `new` of the second text replace lines `old` of the first; one of the ranges may be empty.
  struct Change: Equatable {
    var old: Range<Int>
    var new: Range<Int>
  }

  /// The number of lines, of both texts together, between the common beginning and the common end that are compared.
  ///
  /// The comparison takes quadratic time if the lines have nothing in common: 2 seconds for 10,000 lines of each text.
  /// Longer parts are replaced as a whole.
  private static let lineLimit = 20_000

  /// Changes in ascending order, with at least one common line between any two.
  static func changes<Line: Hashable>(from old: [Line], to new: [Line]) -> [Change] {
    let start = zip(old, new).prefix { $0 == $1 }.count
    let end = zip(old[start...].reversed(), new[start...].reversed()).prefix { $0 == $1 }.count
    let (oldRange, newRange) = (start..<old.count - end, start..<new.count - end)
    if oldRange.isEmpty && newRange.isEmpty { return [] }
    guard oldRange.count + newRange.count <= lineLimit else { return [Change(old: oldRange, new: newRange)] }
    var (removed, inserted) = (Set<Int>(), Set<Int>())
    for change in Array(new[newRange]).difference(from: Array(old[oldRange])) {
      switch change {
      case .remove(let offset, _, _): removed.insert(start + offset)
      case .insert(let offset, _, _): inserted.insert(start + offset)
      }
    }
    var changes: [Change] = []
    var (line, other) = (start, start)
    while line < oldRange.upperBound || other < newRange.upperBound {
      let (first, firstOther) = (line, other)
      while removed.contains(line) { line += 1 }
      while inserted.contains(other) { other += 1 }
      if line == first, other == firstOther {
        line += 1
        other += 1
      } else {
        changes.append(Change(old: first..<line, new: firstOther..<other))
      }
    }
    return changes
  }
}

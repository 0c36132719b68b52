/// The candidate that a mistyped name most likely means: fewest edits, at most a third of the name's length, and fewer than the name has
/// letters.
///
/// Differences of case alone count as one edit. Ties go to the first in code-unit order; names of more than 100
/// code units are not compared, so that a hostile model cannot make an error message expensive.
package func nearestName(to name: String, in candidates: some Sequence<String>) -> String? {
  let wanted = Array(name.lowercased().utf16)
  guard wanted.count <= 100 else { return nil }
  let limit = max(1, wanted.count / 3)
  var best: (name: String, distance: Int)?
  for candidate in candidates.prefix(2_000) where candidate != name {
    let letters = Array(candidate.lowercased().utf16)
    guard letters.count <= 100, abs(letters.count - wanted.count) <= limit else { continue }
    let edits = editDistance(wanted, letters)
    // A name of one letter has nothing in common with one that differs in it.
    guard wanted.isEmpty || edits < wanted.count else { continue }
    let distance = max(1, edits)
    guard distance <= limit else { continue }
    if let current = best {
      if distance > current.distance { continue }
      if distance == current.distance, !candidate.utf16.lexicographicallyPrecedes(current.name.utf16) { continue }
    }
    best = (candidate, distance)
  }
  return best?.name
}

/// The number of insertions, deletions, substitutions and swaps of neighbours. Cost: time proportional to the product
/// of the lengths.
private func editDistance(_ left: [UInt16], _ right: [UInt16]) -> Int {
  var beforePrevious: [Int] = []
  var previous = Array(0...right.count)
  for (row, unit) in left.enumerated() {
    var current = [row + 1]
    current.reserveCapacity(right.count + 1)
    for (column, other) in right.enumerated() {
      let substitution = previous[column] + (unit == other ? 0 : 1)
      var distance = min(substitution, previous[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, unit == right[column - 1], left[row - 1] == other {
        distance = min(distance, beforePrevious[column - 1] + 1)
      }
      current.append(distance)
    }
    (beforePrevious, previous) = (previous, current)
  }
  return previous[right.count]
}

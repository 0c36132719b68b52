/// The changes that lead from one state of live results to the next state.
///
///     for await difference in observer.differences {
///       for change in difference.changes { print(change) }
///     }
///
/// Not in Apple's framework; Core Data: `NSFetchedResultsControllerDelegate`.
public struct ResultsDifference<Element: PersistentModel> {
  /// One changed object. Positions of deletions and the origins of moves are those before the changes; all other positions are
  /// those after them.
  public enum Change {
    /// An object is selected that was not selected before.
    case insert(Element, at: Int)
    /// An object has another place among the objects that stay.
    case move(Element, from: Int, to: Int)
    /// An object is no longer selected.
    case delete(Element, at: Int)
    /// A value of an object may have changed; a moved object has this change, too.
    case update(Element, at: Int)
  }

  /// Deletions and moves by their old position, then insertions and updates by their new position.
  public let changes: [Change]
  /// The results after the changes.
  public let results: FetchResultsCollection<Element>

  /// Whether nothing changed.
  public var isEmpty: Bool { changes.isEmpty }

  /// Whether objects were inserted, deleted or moved, not only updated.
  var changesOrder: Bool {
    changes.contains { if case .update = $0 { false } else { true } }
  }

  /// Brings a copy of the results before the changes to the state after them. In an array of other objects, an inserted object may get
  /// another place.
  ///
  /// Cost: one pass over the results, whatever the number of changes. Updates alone cost nothing.
  public func apply(to elements: inout [Element]) {
    var removed: Set<Int> = []
    var inserted: [(element: Element, position: Int)] = []
    for change in changes {
      switch change {
      case .delete(_, let position): removed.insert(position)
      case .insert(let element, let position): inserted.append((element, position))
      case .move(let element, let origin, let destination):
        removed.insert(origin)
        inserted.append((element, destination))
      case .update: break
      }
    }
    guard !removed.isEmpty || !inserted.isEmpty else { return }
    inserted.sort { $0.position < $1.position }
    var result: [Element] = []
    result.reserveCapacity(elements.count + inserted.count)
    var next = inserted.makeIterator()
    var arriving = next.next()
    func addArriving() {
      while let (element, position) = arriving, position == result.count {
        result.append(element)
        arriving = next.next()
      }
    }
    for (position, element) in elements.enumerated() where !removed.contains(position) {
      addArriving()
      result.append(element)
    }
    while let (element, _) = arriving {
      result.append(element)
      arriving = next.next()
    }
    elements = result
  }
}

/// An object and its position in a state of the results.
struct ResultPlace<Element: PersistentModel> {
  let element: Element
  let position: Int
}

extension ResultsDifference {
  /// Compares the positions of objects that may have changed; all other objects keep their order.
  ///
  /// - Parameters:
  ///   - old: such objects before the changes, by position.
  ///   - new: such objects after the changes, by position.
  ///   - isUpdated: whether a value of an object may have changed.
  init(
    from old: [ResultPlace<Element>], to new: [ResultPlace<Element>], isUpdated: (Element) -> Bool,
    results: FetchResultsCollection<Element>
  ) {
    let ranks = Dictionary(
      old.enumerated().map { (ObjectIdentifier($1.element), $0) }, uniquingKeysWith: { first, _ in first })
    // An object can stay only if as many unaffected objects precede it as before.
    var common: [(new: Int, old: Int)] = []
    for (rank, place) in new.enumerated() {
      guard let before = ranks[ObjectIdentifier(place.element)],
        old[before].position - before == place.position - rank
      else { continue }
      common.append((rank, before))
    }
    let staying = Set(longestIncreasingRun(common.map(\.old)).map { common[$0].new })
    var (leaving, arriving): ([Change], [Change]) = ([], [])
    var destinations: [Int: Int] = [:]
    for (rank, place) in new.enumerated() {
      guard let before = ranks[ObjectIdentifier(place.element)] else {
        arriving.append(.insert(place.element, at: place.position))
        continue
      }
      // −1 for an object that stays.
      destinations[before] = staying.contains(rank) ? -1 : place.position
      if isUpdated(place.element) { arriving.append(.update(place.element, at: place.position)) }
    }
    for (rank, place) in old.enumerated() {
      switch destinations[rank] {
      case nil: leaving.append(.delete(place.element, at: place.position))
      case -1: break
      case .some(let destination): leaving.append(.move(place.element, from: place.position, to: destination))
      }
    }
    changes = leaving + arriving
    self.results = results
  }
}

/// The places of a longest increasing subsequence of distinct numbers, ascending. Cost: n log n.
func longestIncreasingRun(_ numbers: [Int]) -> [Int] {
  /// By length minus one, the place of the smallest number that ends an increasing run of that length.
  var ends: [Int] = []
  var previous = [Int](repeating: -1, count: numbers.count)
  for (place, number) in numbers.enumerated() {
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
    }
    if low > 0 { previous[place] = ends[low - 1] }
    if low == ends.count { ends.append(place) } else { ends[low] = place }
  }
  var run: [Int] = []
  var next = ends.last ?? -1
  while next >= 0 {
    run.append(next)
    next = previous[next]
  }
  return run.reversed()
}

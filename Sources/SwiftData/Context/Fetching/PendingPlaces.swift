internal import StoreRequests

/// The places of sorted unsaved objects among the rows of a store, which need no objects.
struct PendingPlaces<Model: PersistentModel> {
  /// The number of rows before each object.
  private let rowCounts: [Int]

  /// Searches the places of all objects in step.
  ///
  /// - Parameters:
  ///   - prepare: receives the indexes of the rows with which the next step compares. Cost: logarithmic calls.
  ///   - isBefore: whether an object comes before a row. Cost: logarithmic calls for each object.
  fileprivate init(
    _ objects: [Model], among rowCount: Int, prepare: (Set<Int>) throws -> Void, isBefore: (Model, Int) -> Bool
  ) rethrows {
    var searches = objects.map { _ in 0..<rowCount }
    func middle(_ search: Range<Int>) -> Int { (search.lowerBound + search.upperBound) / 2 }
    while true {
      let open = searches.indices.filter { !searches[$0].isEmpty }
      if open.isEmpty { break }
      try prepare(Set(open.map { middle(searches[$0]) }))
      for index in open {
        let search = searches[index]
        let row = middle(search)
        searches[index] =
          isBefore(objects[index], row) ? search.lowerBound..<row : row + 1..<search.upperBound
      }
    }
    rowCounts = searches.map(\.lowerBound)
  }

  /// Puts an element for each object among the elements of the rows.
  func merged<Element>(_ objects: [Element], into rows: [Element]) -> [Element] {
    var result: [Element] = []
    result.reserveCapacity(rows.count + objects.count)
    var start = 0
    for (object, end) in zip(objects, rowCounts) {
      // An inconsistent order of values could give a smaller number for a later object.
      if start < end { result += rows[start..<end] }
      result.append(object)
      start = max(start, end)
    }
    return result + rows[start...]
  }
}

extension PendingObjects {
  /// The places of objects among rows in the order of their keys.
  func placesByKey(of objects: [Model], among rows: [ObjectKey]) -> PendingPlaces<Model> {
    PendingPlaces(objects, among: rows.count) { _ in
    } isBefore: { object, row in
      let key = object._$state.key
      return key != 0 && key < rows[row].key
    }
  }

  /// The places of objects among rows in the descriptor's order.
  ///
  /// - Parameter load: returns the objects of some rows. Cost: logarithmic calls, with a few rows for each object in all.
  /// - Returns: `nil` if a row has no object by now, or the objects are so many that it is better to load all rows.
  func places(
    of objects: [Model], among rows: [ObjectKey], _ load: ([ObjectKey]) throws -> [Model]
  ) throws -> PendingPlaces<Model>? {
    if plan.descriptor.sortBy.isEmpty { return placesByKey(of: objects, among: rows) }
    let stepCount = Int.bitWidth - rows.count.leadingZeroBitCount
    guard objects.count * stepCount <= rows.count else { return nil }
    var loaded: [ObjectKey: Model] = [:]
    do {
      return try PendingPlaces(objects, among: rows.count) { needed in
        let keys = needed.map { rows[$0] }.filter { loaded[$0] == nil }
        for object in try load(keys) { if let key = object._$state.rowKey { loaded[key] = object } }
        guard keys.allSatisfy({ loaded[$0] != nil }) else { throw MissingRow() }
      } isBefore: { object, row in
        loaded[rows[row]].map { isBefore(object, $0) } ?? false
      }
    } catch is MissingRow {
      return nil
    }
  }
}

/// A row has no object by now.
private struct MissingRow: Error {}

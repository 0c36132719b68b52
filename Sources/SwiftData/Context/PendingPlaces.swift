internal import StoreRequests

/// The places of sorted unsaved objects among the rows of a store, which need no objects.
struct PendingPlaces<Model: PersistentModel> {
  /// The number of rows before each object.
  private var rowCounts: [Int] = []

  /// - Parameter isBefore: whether an object comes before the row with an index. Cost: logarithmic calls for each object.
  fileprivate init(
    _ objects: [Model], among rowCount: Int, isBefore: (Model, Int) throws -> Bool
  ) rethrows {
    for object in objects {
      var (low, high) = (rowCounts.last ?? 0, rowCount)
      while low < high {
        let middle = (low + high) / 2
        if try isBefore(object, middle) { high = middle } else { low = middle + 1 }
      }
      rowCounts.append(low)
    }
  }

  /// Puts an element for each object among the elements of the rows.
  func merged<Element>(_ objects: [Element], into rows: [Element]) -> [Element] {
    var result: [Element] = []
    result.reserveCapacity(rows.count + objects.count)
    var start = 0
    for (object, end) in zip(objects, rowCounts) {
      result += rows[start..<end]
      result.append(object)
      start = end
    }
    return result + rows[start...]
  }
}

extension PendingObjects {
  /// The places of objects among rows in the order of their keys.
  func placesByKey(of objects: [Model], among rows: [ObjectKey]) -> PendingPlaces<Model> {
    PendingPlaces(objects, among: rows.count) { object, row in
      let key = object._$state.key
      return key != 0 && key < rows[row].key
    }
  }

  /// The places of objects among rows in the descriptor's order.
  ///
  /// - Parameter load: returns the object of a row; called for a few rows.
  /// - Returns: `nil` if a row has no object by now, or the objects are so many that it is better to load all rows.
  func places(
    of objects: [Model], among rows: [ObjectKey], _ load: (ObjectKey) throws -> Model?
  ) throws -> PendingPlaces<Model>? {
    if plan.descriptor.sortBy.isEmpty { return placesByKey(of: objects, among: rows) }
    let comparisonCount = Int.bitWidth - rows.count.leadingZeroBitCount
    guard objects.count.multipliedClamped(comparisonCount) <= rows.count else { return nil }
    do {
      return try PendingPlaces(objects, among: rows.count) { object, row in
        guard let other = try load(rows[row]) else { throw MissingRow() }
        return isBefore(object, other)
      }
    } catch is MissingRow {
      return nil
    }
  }
}

/// A row has no object by now.
private struct MissingRow: Error {}

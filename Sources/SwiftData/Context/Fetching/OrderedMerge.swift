/// Merges sorted objects into sorted batches of rows. Cost: logarithmic for each object.
struct OrderedMerge<Model: PersistentModel> {
  private let objects: [Model]
  private let isBefore: (Model, Model) -> Bool
  private var next = 0

  init(_ objects: [Model], isBefore: @escaping (Model, Model) -> Bool) {
    self.objects = objects
    self.isBefore = isBefore
  }

  /// The next batch of rows, with the objects that belong before its last row.
  mutating func merged(_ rows: [Model]) -> [Model] {
    guard next < objects.count else { return rows }
    var result: [Model] = []
    result.reserveCapacity(rows.count + objects.count - next)
    var start = 0
    while next < objects.count {
      let end = firstIndex(in: rows, from: start, after: objects[next])
      result += rows[start..<end]
      start = end
      guard end < rows.count else { break }
      result.append(objects[next])
      next += 1
    }
    return result + rows[start...]
  }

  /// The objects that belong after all rows.
  var rest: ArraySlice<Model> { objects[next...] }

  private func firstIndex(in rows: [Model], from start: Int, after object: Model) -> Int {
    var (low, high) = (start, rows.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(object, rows[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

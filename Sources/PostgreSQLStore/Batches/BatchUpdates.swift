import StoreRequests

/// The rows that batch changes have updated, with the names of the changed properties.
struct BatchUpdates {
  private var sets: [Set<String>] = []
  /// The place of each row's names in `sets`, since most rows share their names; by hierarchy.
  private var places: [Int: [ObjectKey: Int]] = [:]

  mutating func add(_ objects: [ObjectKey], _ names: Set<String>, hierarchy: Int) {
    guard !objects.isEmpty else { return }
    let own = place(of: names)
    var united: [Int: Int] = [:]
    for object in objects {
      guard let known = places[hierarchy]?[object] else {
        places[hierarchy, default: [:]][object] = own
        continue
      }
      let place = united[known] ?? self.place(of: sets[known].union(names))
      united[known] = place
      places[hierarchy]?[object] = place
    }
  }

  private mutating func place(of names: Set<String>) -> Int {
    if let place = sets.firstIndex(of: names) { return place }
    sets.append(names)
    return sets.count - 1
  }

  /// Forgets rows, which are deleted.
  mutating func remove(_ objects: [ObjectKey], hierarchy: Int) {
    for object in objects { places[hierarchy]?[object] = nil }
  }

  func keys(hierarchy: Int) -> [Int64] { places[hierarchy].map { $0.keys.map(\.key) } ?? [] }

  var all: [(object: ObjectKey, names: Set<String>)] { places.values.flatMap { $0.map { ($0.key, sets[$0.value]) } } }
}

/// The inserted, changed or deleted objects of a context, in order, each once.
///
/// Adding, removing and finding take constant time and no look-up: an object is in one of the three lists at a time, and its
/// state has its place there. A place that is no longer true leads to another object or to none.
struct WorkList: Sequence {
  private var slots: [(any PersistentModel)?] = []
  private(set) var count = 0
  /// Differs whenever places may have changed.
  private(set) var generation = 0

  /// The objects that have come since a number of places were taken, as far as they are still there.
  func objects(from place: Int) -> some Sequence<any PersistentModel> { slots[place...].lazy.compactMap { $0 } }

  /// How many places were taken.
  var placeCount: Int { slots.count }

  var isEmpty: Bool { count == 0 }

  func contains(_ object: any PersistentModel) -> Bool { place(of: object) != nil }

  private func place(of object: any PersistentModel) -> Int? {
    let place = Int(object._$state.place)
    return place < slots.count && slots[place] === object ? place : nil
  }

  /// Appends an object that is not there yet; says whether it was not.
  @discardableResult
  mutating func append(_ object: any PersistentModel) -> Bool {
    guard !contains(object) else { return false }
    object._$state.place = Int32(slots.count)
    slots.append(object)
    count += 1
    return true
  }

  /// Takes an object out; says whether it was there.
  @discardableResult
  mutating func remove(_ object: any PersistentModel) -> Bool {
    guard let place = place(of: object) else { return false }
    slots[place] = nil
    count -= 1
    if slots.count > 64, slots.count > 4 * count { compact() }
    return true
  }

  mutating func removeAll() {
    let generation = generation
    self = WorkList()
    self.generation = generation + 1
  }

  private mutating func compact() {
    generation += 1
    slots.removeAll { $0 == nil }
    for (place, object) in slots.enumerated() { object?._$state.place = Int32(place) }
  }

  func makeIterator() -> some IteratorProtocol<any PersistentModel> { slots.lazy.compactMap { $0 }.makeIterator() }

  var array: [any PersistentModel] { slots.compactMap { $0 } }
}

/// The inserted, changed or deleted objects of a context, distinct and in order.
///
/// Adding, removing and finding take constant time without a hash look-up. An object is in only one of the three lists
/// at a time, and its state holds its place there. At an outdated place there is another object, or no object.
struct WorkList: Sequence {
  private var slots: [(any PersistentModel)?] = []
  private(set) var count = 0
  /// Changes whenever places may have changed.
  private(set) var generation = 0

  /// The objects that were added after a given number of places, without removed objects.
  func objects(from place: Int) -> some Sequence<any PersistentModel> { slots[place...].lazy.compactMap { $0 } }

  /// The number of places in use, including those of removed objects.
  var placeCount: Int { slots.count }

  var isEmpty: Bool { count == 0 }

  func contains(_ object: any PersistentModel) -> Bool { place(of: object) != nil }

  /// The object at a place; `nil` if none is there.
  func object(at place: Int) -> (any PersistentModel)? { slots.indices.contains(place) ? slots[place] : nil }

  private func place(of object: any PersistentModel) -> Int? {
    let place = Int(object._$state.place)
    return place < slots.count && slots[place] === object ? place : nil
  }

  /// Appends an object if it is absent; returns whether it was.
  @discardableResult
  mutating func append(_ object: any PersistentModel) -> Bool {
    guard !contains(object) else { return false }
    object._$state.place = Int32(slots.count)
    slots.append(object)
    count += 1
    return true
  }

  /// Removes an object; returns whether it was present.
  @discardableResult
  mutating func remove(_ object: any PersistentModel) -> Bool {
    guard let place = place(of: object) else { return false }
    slots[place] = nil
    count -= 1
    if slots.count > 64, slots.count > 4 * count { compact() }
    return true
  }

  private mutating func compact() {
    generation += 1
    slots.removeAll { $0 == nil }
    for (place, object) in slots.enumerated() { object?._$state.place = Int32(place) }
  }

  func makeIterator() -> some IteratorProtocol<any PersistentModel> { slots.lazy.compactMap { $0 }.makeIterator() }

  var array: [any PersistentModel] { slots.compactMap { $0 } }
}

/// Distinct objects in the order of insertion; adding, removing and finding take constant time.
///
/// Most lists have one object or none: the changes of a relationship to one, the members added to one object. A short list is searched
/// and has no table.
struct ObjectList: Sequence {
  private var slots: [(any PersistentModel)?] = []
  /// The slots of a list that is not short.
  private var slotByObject: [ObjectIdentifier: Int] = [:]
  private(set) var count = 0

  /// The number of slots of the longest list without a table.
  private static let shortLength = 8

  init() {}

  init(_ objects: some Sequence<any PersistentModel>) {
    for object in objects { append(object) }
  }

  var isEmpty: Bool { count == 0 }

  func contains(_ object: any PersistentModel) -> Bool { slot(of: object) != nil }

  private func slot(of object: any PersistentModel) -> Int? {
    guard slots.count <= Self.shortLength else { return slotByObject[ObjectIdentifier(object)] }
    return slots.lastIndex { $0 === object }
  }

  /// Appends an object if it is absent; returns whether it was.
  @discardableResult
  mutating func append(_ object: any PersistentModel) -> Bool {
    guard slot(of: object) == nil else { return false }
    slots.append(object)
    count += 1
    if slots.count > Self.shortLength + 1 {
      slotByObject[ObjectIdentifier(object)] = slots.count - 1
    } else if slots.count > Self.shortLength {
      makeTable()
    }
    return true
  }

  /// Removes an object; returns whether it was present.
  @discardableResult
  mutating func remove(_ object: any PersistentModel) -> Bool {
    guard let slot = slot(of: object) else { return false }
    slots[slot] = nil
    count -= 1
    if slots.count > Self.shortLength { slotByObject[ObjectIdentifier(object)] = nil }
    if slots.count > 64, slots.count > 4 * count {
      slots.removeAll { $0 == nil }
      makeTable()
    }
    return true
  }

  private mutating func makeTable() {
    slotByObject = [:]
    guard slots.count > Self.shortLength else { return }
    for (slot, object) in slots.enumerated() {
      if let object { slotByObject[ObjectIdentifier(object)] = slot }
    }
  }

  func makeIterator() -> some IteratorProtocol<any PersistentModel> { slots.lazy.compactMap(\.self).makeIterator() }

  var array: [any PersistentModel] { slots.compactMap(\.self) }
}

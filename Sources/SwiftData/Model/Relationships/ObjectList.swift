/// Distinct objects in the order of insertion; adding, removing and finding take constant time.
struct ObjectList: Sequence {
  private var slots: [(any PersistentModel)?] = []
  private var slotByObject: [ObjectIdentifier: Int] = [:]

  init() {}

  init(_ objects: some Sequence<any PersistentModel>) {
    for object in objects { append(object) }
  }

  var count: Int { slotByObject.count }
  var isEmpty: Bool { slotByObject.isEmpty }

  func contains(_ object: any PersistentModel) -> Bool { slotByObject[ObjectIdentifier(object)] != nil }

  /// Appends an object if it is absent; returns whether it was.
  @discardableResult
  mutating func append(_ object: any PersistentModel) -> Bool {
    let identifier = ObjectIdentifier(object)
    guard slotByObject[identifier] == nil else { return false }
    slotByObject[identifier] = slots.count
    slots.append(object)
    return true
  }

  /// Removes an object; returns whether it was present.
  @discardableResult
  mutating func remove(_ object: any PersistentModel) -> Bool {
    guard let slot = slotByObject.removeValue(forKey: ObjectIdentifier(object)) else { return false }
    slots[slot] = nil
    if slots.count > 64, slots.count > 4 * slotByObject.count { compact() }
    return true
  }

  private mutating func compact() {
    slots = slots.filter { $0 != nil }
    for (slot, object) in slots.enumerated() {
      if let object { slotByObject[ObjectIdentifier(object)] = slot }
    }
  }

  func makeIterator() -> some IteratorProtocol<any PersistentModel> { slots.lazy.compactMap(\.self).makeIterator() }

  var array: [any PersistentModel] { slots.compactMap(\.self) }
}

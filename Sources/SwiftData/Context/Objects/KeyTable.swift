/// A hash table from row keys to live objects, which it holds strongly.
///
/// The objects are in the order of insertion, which mostly is their order in memory. So a walk over all objects, and
/// the release of all objects, go through memory in one direction. A look-up uses a hash table with open addressing. At least
/// half of its places are free.
///
/// A fetch looks up and inserts every row here, so the class manages its memory itself. An array would check bounds,
/// uniqueness and exclusive access each time. No method runs foreign code while it uses the memory.
final class KeyTable {
  private struct Entry {
    let key: Int64
    /// `nil` after the object was removed; the entry and its slot stay until the index is rebuilt.
    var object: AnyObject?
  }

  /// Memory for half as many entries as there are slots.
  private var entries: UnsafeMutablePointer<Entry>
  /// The number of entries, including entries of removed objects.
  private var used = 0
  /// By slot: the place of an entry plus one, or 0.
  private var slots: UnsafeMutablePointer<Int32>
  /// The number of slots, a power of two, minus one.
  private var mask = 0
  private(set) var count = 0
  /// Changes whenever a slot may get another meaning.
  private var generation = 0
  /// Weak references to the objects after ``retire()``; `nil` before. Each look-up of an absent key reads it, and a check of exclusive
  /// access there costs measurable time.
  @exclusivity(unchecked) private var outside: [Int64: WeakObject]?
  /// The number of objects from which the dead ones are removed.
  private var outsideThreshold = 256

  private struct WeakObject {
    weak var object: AnyObject?
  }

  /// Random in each run, so that a store cannot be made whose keys collide in every program.
  private static let multiplier = UInt64.random(in: .min ... .max) | 1

  /// The free slot where a search for a key ended; invalid once the table has changed.
  struct Vacancy {
    fileprivate let slot: Int
    fileprivate let generation: Int
  }

  init() {
    entries = .allocate(capacity: 1)
    slots = .allocate(capacity: 1)
    slots.initialize(to: 0)
  }

  deinit {
    Self.release(entries, used)
    slots.deallocate()
  }

  /// Releases the objects one by one; the runtime's function for many entries would call another function for each.
  private static func release(_ entries: UnsafeMutablePointer<Entry>, _ count: Int) {
    for place in 0..<count { _ = entries.advanced(by: place).move() }
    entries.deallocate()
  }

  /// The slot of a key, or the free slot that ends its search.
  ///
  /// A search begins at the slot of the key itself. Consecutive keys, which rows mostly have, never collide and stand
  /// side by side in memory. After a collision, a key advances by its own stride, which is odd and so reaches every
  /// slot.
  private func slot(_ key: Int64) -> Int {
    var slot = Int(truncatingIfNeeded: key) & mask
    if isFreeOrOf(key, slot) { return slot }
    let stride = Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* Self.multiplier) >> 40) | 1
    repeat { slot = (slot &+ stride) & mask } while !isFreeOrOf(key, slot)
    return slot
  }

  private func isFreeOrOf(_ key: Int64, _ slot: Int) -> Bool {
    slots[slot] == 0 || entries[Int(slots[slot]) - 1].key == key
  }

  subscript(key: Int64) -> AnyObject? { find(key).object }

  /// The object with a key; if there is none, the slot for it.
  func find(_ key: Int64) -> (object: AnyObject?, vacancy: Vacancy) {
    let found = slot(key)
    let place = Int(slots[found]) - 1
    let object = place < 0 ? nil : entries[place].object
    if object == nil, let retired = outside?[key]?.object {
      insert(retired, for: key)
      return (retired, Vacancy(slot: slot(key), generation: generation))
    }
    return (object, Vacancy(slot: found, generation: generation))
  }

  /// Inserts an object under a key and replaces the previous object; a valid vacancy for the key saves the search.
  func insert(_ object: consuming AnyObject, for key: Int64, at vacancy: Vacancy? = nil) {
    if (used + 1) * 2 > mask + 1 { rebuild() }
    let slot = vacancy.flatMap { $0.generation == generation ? $0.slot : nil } ?? slot(key)
    guard slots[slot] == 0 else {
      // The previous object is released after the table is consistent: its deinitializer may look up a key.
      let place = Int(slots[slot]) - 1
      let former = entries[place].object
      entries[place].object = object
      if former == nil { count += 1 }
      return withExtendedLifetime(former) {}
    }
    entries.advanced(by: used).initialize(to: Entry(key: key, object: object))
    used += 1
    slots[slot] = Int32(used)
    count += 1
    generation += 1
  }

  /// Removes a key.
  @discardableResult
  func remove(_ key: Int64) -> AnyObject? {
    outside?[key] = nil
    let slot = slot(key)
    guard slots[slot] != 0, let object = entries[Int(slots[slot]) - 1].object.take() else { return nil }
    count -= 1
    return object
  }

  /// Rebuilds the index with room for at least twice as many objects, and removes the gaps of removed objects.
  private func rebuild() {
    var slotCount = 16
    while slotCount < 4 * (count + 1) { slotCount *= 4 }
    let former = (entries: entries, used: used)
    entries = .allocate(capacity: slotCount / 2)
    used = 0
    for place in 0..<former.used where former.entries[place].object != nil {
      entries.advanced(by: used).moveInitialize(from: former.entries.advanced(by: place), count: 1)
      used += 1
    }
    // All objects were moved out, so only memory is freed.
    former.entries.deallocate()
    slots.deallocate()
    slots = .allocate(capacity: slotCount)
    slots.initialize(repeating: 0, count: slotCount)
    mask = slotCount - 1
    generation += 1
    for place in 0..<used { slots[slot(entries[place].key)] = Int32(place + 1) }
  }

  /// Releases every object that only this table holds and that meets the condition; the other objects stay.
  func sweep(where mayGo: (AnyObject) -> Bool) {
    // The objects are released after the table is consistent: their deinitializers may look up a key.
    var dropped: [AnyObject] = []
    for place in 0..<used {
      guard isKnownUniquelyReferenced(&entries[place].object), let object = entries[place].object.take() else {
        continue
      }
      if mayGo(object) { dropped.append(object) } else { entries[place].object = object }
    }
    count -= dropped.count
    if !dropped.isEmpty { rebuild() }
  }

  /// Releases all objects. Finds an object again as long as somebody else holds it.
  ///
  /// Cost: a weak reference for each object that somebody else holds.
  func retire() {
    var held = outside ?? [:]
    if held.count > outsideThreshold {
      held = held.filter { $0.value.object != nil }
      outsideThreshold = max(256, 2 * held.count)
    }
    for place in 0..<used where !isKnownUniquelyReferenced(&entries[place].object) {
      if let object = entries[place].object { held[entries[place].key] = WeakObject(object: object) }
    }
    outside = held
    removeAll()
  }

  /// Releases all objects after the table is empty: their deinitializers may look up a key.
  func removeAll() {
    let former = (entries: entries, used: used)
    entries = .allocate(capacity: 1)
    used = 0
    count = 0
    slots.deallocate()
    slots = .allocate(capacity: 1)
    slots.initialize(to: 0)
    mask = 0
    generation += 1
    Self.release(former.entries, former.used)
  }

  /// The objects in the order of insertion.
  var objects: [AnyObject] { (0..<used).compactMap { entries[$0].object } }
}

/// A hash table from row keys to live objects, which it holds strongly.
///
/// The objects stand in the order in which they came, which mostly is their order in memory: walking them, and releasing them
/// all, goes through memory in one direction. A look-up goes through an open-addressed index of places, at most half full.
///
/// A class with memory of its own: every row of a fetch is looked for and put here, and an array in an object's property would
/// be checked for its bounds, its uniqueness and exclusive access each time. No method runs foreign code while it uses the memory.
final class KeyTable {
  private struct Entry {
    let key: Int64
    /// `nil` where an object was removed; the entry stays, and its slot with it, until the index is made anew.
    var object: AnyObject?
  }

  /// Room for half as many entries as there are slots.
  private var entries: UnsafeMutablePointer<Entry>
  /// How many entries there are, those of removed objects included.
  private var used = 0
  /// By slot: the place of an entry plus one, or 0.
  private var slots: UnsafeMutablePointer<Int32>
  /// The number of slots, a power of two, minus one.
  private var mask = 0
  private(set) var count = 0
  /// Differs whenever a slot may have another meaning.
  private var generation = 0
  /// Another one in each run, so that no store's keys can be chosen to meet one another everywhere.
  private static let multiplier = UInt64.random(in: .min ... .max) | 1

  /// The slot where a key was looked for in vain; worth nothing once the table has changed.
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

  /// Lets go of the objects one by one: the runtime's function for many entries would call another for each.
  private static func release(_ entries: UnsafeMutablePointer<Entry>, _ count: Int) {
    for place in 0..<count { _ = entries.advanced(by: place).move() }
    entries.deallocate()
  }

  /// The slot of a key, or the free one that ends its search.
  ///
  /// A search begins at the key itself: keys in a row, which rows mostly have, never meet, and stand side by side in memory. Keys
  /// that do meet go on in strides of their own, which are odd, so that they come by every slot.
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

  /// The object under a key, and where one would be put if there is none.
  func find(_ key: Int64) -> (object: AnyObject?, vacancy: Vacancy) {
    let slot = slot(key)
    let place = Int(slots[slot]) - 1
    return (place < 0 ? nil : entries[place].object, Vacancy(slot: slot, generation: generation))
  }

  /// Puts an object under a key, in place of the one that was there; without a search if a vacancy for the key still is one.
  func insert(_ object: consuming AnyObject, for key: Int64, at vacancy: Vacancy? = nil) {
    if (used + 1) * 2 > mask + 1 { rebuild() }
    let slot = vacancy.flatMap { $0.generation == generation ? $0.slot : nil } ?? slot(key)
    guard slots[slot] == 0 else {
      // The one that was there goes after the table is as it should be: its deinitializer may look something up.
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

  /// Takes a key out.
  @discardableResult
  func remove(_ key: Int64) -> AnyObject? {
    let slot = slot(key)
    guard slots[slot] != 0, let object = entries[Int(slots[slot]) - 1].object.take() else { return nil }
    count -= 1
    return object
  }

  /// Makes the index anew, with room for at least as many objects again, and closes the gaps of removed ones.
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
    // What was not moved holds no object: there is nothing to release in it.
    former.entries.deallocate()
    slots.deallocate()
    slots = .allocate(capacity: slotCount)
    slots.initialize(repeating: 0, count: slotCount)
    mask = slotCount - 1
    generation += 1
    for place in 0..<used { slots[slot(entries[place].key)] = Int32(place + 1) }
  }

  /// Drops every object that only this table refers to and that the condition lets go; the rest stays.
  func sweep(where mayGo: (AnyObject) -> Bool) {
    // They go after the table is as it should be: their deinitializers may look something up.
    var dropped: [AnyObject] = []
    for place in 0..<used {
      guard isKnownUniquelyReferenced(&entries[place].object), let object = entries[place].object, mayGo(object) else {
        continue
      }
      entries[place].object = nil
      dropped.append(object)
    }
    count -= dropped.count
    if !dropped.isEmpty { rebuild() }
  }

  /// Lets go of all objects, after the table is empty: their deinitializers may look something up.
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

  /// The objects in the order in which they came.
  var objects: [AnyObject] { (0..<used).compactMap { entries[$0].object } }
}

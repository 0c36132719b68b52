/// A hash table from row keys to live objects, which it holds strongly.
///
/// The objects stand in the order in which they came, which mostly is their order in memory: walking them, and releasing them
/// all, goes through memory in one direction. A look-up goes through an open-addressed index of places, at most half full.
struct KeyTable {
  /// By place; that of a removed object stays until the index is made anew.
  private var keys: [Int64] = []
  /// By place; `nil` where an object was removed.
  private var objects: [AnyObject?] = []
  /// By slot: a place plus one, or 0. The number of slots is a power of two.
  private var index: [Int32] = []
  private(set) var count = 0

  init() {}

  /// The slot a key's search begins with: Fibonacci hashing of blocks of 16 keys, so that keys in a row, which rows mostly
  /// have, share lines of memory.
  private func home(_ key: Int64) -> Int {
    let product = UInt64(bitPattern: key >> 4) &* 0x9E37_79B9_7F4A_7C15
    return (Int(truncatingIfNeeded: product >> 20) << 4 | Int(key & 15)) & (index.count - 1)
  }

  /// The slot of a key, or the free one that ends its search.
  private func slot(_ key: Int64) -> Int {
    var slot = home(key)
    while index[slot] != 0, keys[Int(index[slot]) - 1] != key { slot = (slot + 1) & (index.count - 1) }
    return slot
  }

  subscript(key: Int64) -> AnyObject? {
    guard count > 0 else { return nil }
    let place = Int(index[slot(key)]) - 1
    return place < 0 ? nil : objects[place]
  }

  /// Puts an object under a key, in place of the one that was there.
  mutating func insert(_ object: AnyObject, for key: Int64) {
    if (objects.count + 1) * 2 > index.count { rebuild() }
    let slot = slot(key)
    guard index[slot] == 0 else {
      objects[Int(index[slot]) - 1] = object
      return
    }
    keys.append(key)
    objects.append(object)
    index[slot] = Int32(objects.count)
    count += 1
  }

  /// Takes a key out; what stands behind it in the index moves up, so that no search breaks off.
  @discardableResult
  mutating func remove(_ key: Int64) -> AnyObject? {
    guard count > 0 else { return nil }
    let slot = slot(key)
    guard index[slot] != 0 else { return nil }
    let object = objects[Int(index[slot]) - 1].take()
    close(slot)
    count -= 1
    return object
  }

  private mutating func close(_ emptied: Int) {
    let mask = index.count - 1
    var hole = emptied
    var next = (hole + 1) & mask
    while index[next] != 0 {
      // A place may fill the hole if its key's home does not lie between the hole and where it stands.
      let distance = (next - home(keys[Int(index[next]) - 1])) & mask
      if distance >= (next - hole) & mask {
        index[hole] = index[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    index[hole] = 0
  }

  /// Makes the index anew, with room for half as many objects again, and closes the gaps of removed ones.
  private mutating func rebuild() {
    if count < objects.count {
      keys = objects.indices.filter { objects[$0] != nil }.map { keys[$0] }
      objects.removeAll { $0 == nil }
    }
    var capacity = 16
    while capacity < 3 * (count + 1) { capacity *= 2 }
    index = [Int32](repeating: 0, count: capacity)
    for (place, key) in keys.enumerated() { index[slot(key)] = Int32(place + 1) }
  }

  /// Drops every object that only this table refers to and that the condition lets go; the rest stays.
  mutating func sweep(where mayGo: (AnyObject) -> Bool) {
    let before = count
    for place in objects.indices {
      guard isKnownUniquelyReferenced(&objects[place]), let object = objects[place], mayGo(object) else { continue }
      objects[place] = nil
      count -= 1
    }
    if count < before { rebuild() }
  }

  func forEach(_ body: (AnyObject) throws -> Void) rethrows {
    for case let object? in objects { try body(object) }
  }
}

/// A hash table from row keys to live objects, which it holds strongly.
///
/// Open addressing with linear probing, at most half full: a look-up is a multiplication and usually one comparison, and a
/// fetch of new rows allocates only when the table grows.
struct KeyTable {
  private var keys: [Int64] = []
  private var objects: [AnyObject?] = []
  private(set) var count = 0

  init() {}

  /// The slot a key's search begins with: Fibonacci hashing, so that runs of keys spread.
  private func home(_ key: Int64) -> Int {
    let product = UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: product >> 20) & (keys.count - 1)
  }

  subscript(key: Int64) -> AnyObject? {
    guard count > 0 else { return nil }
    var slot = home(key)
    while let object = objects[slot] {
      if keys[slot] == key { return object }
      slot = (slot + 1) & (keys.count - 1)
    }
    return nil
  }

  /// Puts an object under a key, in place of the one that was there.
  mutating func insert(_ object: AnyObject, for key: Int64) {
    if (count + 1) * 2 > keys.count { resize(to: max(16, keys.count * 2)) }
    var slot = home(key)
    while objects[slot] != nil {
      if keys[slot] == key {
        objects[slot] = object
        return
      }
      slot = (slot + 1) & (keys.count - 1)
    }
    keys[slot] = key
    objects[slot] = object
    count += 1
  }

  /// Takes a key out; the objects behind it move up, so that no search breaks off.
  @discardableResult
  mutating func remove(_ key: Int64) -> AnyObject? {
    guard count > 0 else { return nil }
    let mask = keys.count - 1
    var hole = home(key)
    while let object = objects[hole] {
      if keys[hole] == key {
        close(hole, mask: mask)
        count -= 1
        return object
      }
      hole = (hole + 1) & mask
    }
    return nil
  }

  private mutating func close(_ emptied: Int, mask: Int) {
    var hole = emptied
    var next = (hole + 1) & mask
    while objects[next] != nil {
      // An object may fill the hole if its home does not lie between the hole and where it stands.
      let distance = (next - home(keys[next])) & mask
      if distance >= (next - hole) & mask {
        keys[hole] = keys[next]
        objects[hole] = objects[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    objects[hole] = nil
  }

  mutating func reserve(_ additional: Int) {
    var capacity = max(16, keys.count)
    while (count + additional) * 2 > capacity { capacity *= 2 }
    if capacity > keys.count { resize(to: capacity) }
  }

  private mutating func resize(to capacity: Int) {
    let oldKeys = keys
    var oldObjects = objects
    keys = [Int64](repeating: 0, count: capacity)
    objects = [AnyObject?](repeating: nil, count: capacity)
    for slot in oldObjects.indices {
      guard let object = oldObjects[slot].take() else { continue }
      var free = home(oldKeys[slot])
      while objects[free] != nil { free = (free + 1) & (capacity - 1) }
      keys[free] = oldKeys[slot]
      objects[free] = object
    }
  }

  /// Drops every object that only this table refers to and that the condition lets go; the rest stays.
  mutating func sweep(where mayGo: (AnyObject) -> Bool) {
    var released: [Int64] = []
    for slot in objects.indices {
      guard isKnownUniquelyReferenced(&objects[slot]), let object = objects[slot], mayGo(object) else { continue }
      released.append(keys[slot])
    }
    if released.count * 2 > count, released.count > 64 {
      rebuild(without: Set(released))
    } else {
      for key in released { remove(key) }
    }
  }

  private mutating func rebuild(without released: Set<Int64>) {
    let old = self
    self = KeyTable()
    reserve(old.count - released.count)
    for slot in old.objects.indices {
      if let object = old.objects[slot], !released.contains(old.keys[slot]) { insert(object, for: old.keys[slot]) }
    }
  }

  func forEach(_ body: (AnyObject) throws -> Void) rethrows {
    for case let object? in objects { try body(object) }
  }
}

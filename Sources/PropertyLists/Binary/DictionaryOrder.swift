/// The order in which a Core Foundation dictionary with strings as keys enumerates its entries. Files that Core Data
/// writes show it.
///
/// A dictionary is a table of slots, of a prime number that its count decides. A text's place is its hash code modulo that
/// number, or the next free slot behind it. All 632 dictionaries of properties in the cached models of real stores are in this
/// order (VH-15).
package enum DictionaryOrder {
  /// Keys in a dictionary's order.
  ///
  /// - Parameters:
  ///   - keys: distinct keys, in the order in which they were added: if two keys want one slot, the first one takes it.
  ///   - count: the capacity that the dictionary was made with, if it is larger than the number of keys.
  package static func sorted(_ keys: [String], count: Int = 0) -> [String] {
    slots(keys, count: count).compactMap { $0 }
  }

  static func slots(_ keys: [String], count: Int) -> [String?] {
    var slots = [String?](repeating: nil, count: slotCount(for: max(keys.count, count)))
    for key in keys { place(key, in: &slots) }
    return slots
  }

  private static func place(_ key: String, in slots: inout [String?]) {
    var slot = Int(hashCode(key) % UInt64(slots.count))
    while slots[slot] != nil { slot = slot + 1 == slots.count ? 0 : slot + 1 }
    slots[slot] = key
  }

  /// The place of each key among the others; see ``sorted(_:count:)``.
  package static func places(_ keys: [String], count: Int = 0) -> [String: Int] {
    Dictionary(sorted(keys, count: count).enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Each number of slots with the most entries that it holds.
  private static let sizes: [(slots: Int, entries: Int)] = [
    (3, 3), (7, 6), (13, 11), (23, 19), (41, 32), (71, 52), (127, 85), (191, 118), (251, 155), (383, 237),
    (631, 390), (1087, 672), (1723, 1065), (2803, 1732), (4523, 2795), (7351, 4543), (11959, 7391), (19447, 12019),
  ]

  /// Sizes beyond the known ones are ours, since no model is so large. Each is about twice the one before, so growth is
  /// rare.
  private static func slotCount(for count: Int) -> Int {
    if let size = sizes.first(where: { count <= $0.entries }) { return size.slots }
    var (slots, entries) = sizes[sizes.count - 1]
    while count > entries { (slots, entries) = (2 * slots + 1, 2 * entries) }
    return slots
  }

  /// The hash code of a string: of all its UTF-16 units, or of the first, middle and last 32 if there are more than 96.
  static func hashCode(_ text: String) -> UInt64 {
    let units = Array(text.utf16)
    var code = UInt64(units.count)
    func add(_ part: ArraySlice<UInt16>) {
      var rest = part
      while rest.count >= 4 {
        let four = rest.prefix(4).map { UInt64($0) }
        code = code &* 67_503_105 &+ four[0] &* 16_974_593 &+ four[1] &* 66_049 &+ four[2] &* 257 &+ four[3]
        rest = rest.dropFirst(4)
      }
      for unit in rest { code = code &* 257 &+ UInt64(unit) }
    }
    if units.count <= 96 {
      add(units[...])
    } else {
      let middle = units.count / 2 - 16
      add(units[..<32])
      add(units[middle..<middle + 32])
      add(units[(units.count - 32)...])
    }
    return code &+ code << UInt64(units.count & 31)
  }
}

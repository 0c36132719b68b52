internal import Foundation

/// The objects removed from and added to a to-many relationship by a change, each once.
///
/// Skips equal members at the beginning and the end of both lists by comparing their addresses. So changing one member
/// of many costs little more than comparing two blocks of memory.
struct MemberDifference {
  private(set) var removed: [any PersistentModel] = []
  private(set) var added: [any PersistentModel] = []
  /// Whether the new list contains an object twice; the old list never does.
  private(set) var hasRepetitions = false
  /// The places in the old list whose members differ from the new list's.
  let former: Range<Int>
  /// The places in the new list whose members differ from the old list's.
  let current: Range<Int>

  /// The difference with its places; `nil` unless it was asked for.
  private(set) var replacement: MemberReplacement?

  /// - Parameters:
  ///   - index: finds members of the old list; without it, they are searched for.
  ///   - keepsPlaces: whether to keep the members at the differing places, also those that only moved.
  init<Member: PersistentModel>(
    from old: [Member], to new: [Member], index: MemberIndex? = nil, keepsPlaces: Bool = false
  ) {
    (former, current) = withAddresses(of: old) { old in withAddresses(of: new) { Self.difference(old, $0) } }
    guard !former.isEmpty || !current.isEmpty else { return }
    let gone = Set(former.map { ObjectIdentifier(old[$0]) })
    let isKept = current.isEmpty ? { _ in false } : Self.finder(new, besides: current, index: index)
    var present: Set<ObjectIdentifier> = []
    for place in current {
      let member = ObjectIdentifier(new[place])
      let isFormer = gone.contains(member)
      guard present.insert(member).inserted, isFormer || !isKept(member) else {
        hasRepetitions = true
        continue
      }
      if !isFormer { added.append(new[place]) }
    }
    for place in former where !present.contains(ObjectIdentifier(old[place])) { removed.append(old[place]) }
    guard keepsPlaces else { return }
    if hasRepetitions {
      // Each member keeps its first place.
      var seen: Set<ObjectIdentifier> = []
      let distinct = new.filter { seen.insert(ObjectIdentifier($0)).inserted }
      replacement = MemberDifference(from: old, to: distinct, keepsPlaces: true).replacement
    } else {
      replacement = MemberReplacement(former, of: old, by: current, of: new)
    }
  }

  /// The ranges that remain without the common prefix and the common suffix.
  private static func difference(_ old: MemberAddresses, _ new: MemberAddresses) -> (Range<Int>, Range<Int>) {
    let shorter = min(old.count, new.count)
    // Compares blocks of memory first.
    let block = 256
    func isEqual(_ left: Int, _ right: Int) -> Bool {
      guard let old = old.baseAddress, let new = new.baseAddress else { return false }
      return memcmp(old + left, new + right, block * MemoryLayout<UnsafeRawPointer>.stride) == 0
    }
    var start = 0
    while start + block <= shorter, isEqual(start, start) { start += block }
    while start < shorter, old[start] == new[start] { start += 1 }
    let rest = shorter - start
    var tail = 0
    while tail + block <= rest, isEqual(old.count - tail - block, new.count - tail - block) { tail += block }
    while tail < rest, old[old.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
    return (start..<old.count - tail, start..<new.count - tail)
  }

  /// Returns a test for membership in the parts of a list that did not change: a linear search for few look-ups, a set for
  /// many.
  private static func finder<Member: PersistentModel>(
    _ list: [Member], besides changed: Range<Int>, index: MemberIndex?
  ) -> (ObjectIdentifier) -> Bool {
    if let index { return { index.contains($0) } }
    let kept = [0..<changed.lowerBound, changed.upperBound..<list.count]
    guard changed.count > 8 else {
      return { member in
        let address = UnsafeRawPointer(bitPattern: UInt(bitPattern: member))
        return withAddresses(of: list) { list in kept.contains { $0.contains { list[$0] == address } } }
      }
    }
    let identifiers = Set(kept.joined().map { ObjectIdentifier(list[$0]) })
    return { identifiers.contains($0) }
  }
}

/// The members of a list by identity.
typealias MemberIndex = Set<ObjectIdentifier>

typealias MemberAddresses = UnsafeBufferPointer<UnsafeRawPointer>

/// Passes the addresses of a list's members to a closure; so loops over them need no generic code and count no references.
func withAddresses<Member: AnyObject, Result>(
  of members: [Member], _ body: (MemberAddresses) -> Result
) -> Result {
  members.withUnsafeBytes { $0.withMemoryRebound(to: UnsafeRawPointer.self, body) }
}

/// The place of an object in a list without repetitions.
///
/// Searches from both ends at once: of many members that leave one by one, most leave in the order of the list or against it.
func memberPlace<Member: AnyObject>(of member: ObjectIdentifier, in list: [Member]) -> Int? {
  let address = UnsafeRawPointer(bitPattern: UInt(bitPattern: member))
  return withAddresses(of: list) { list in
    var (first, last) = (0, list.count - 1)
    while first <= last {
      if list[first] == address { return first }
      if list[last] == address { return last }
      first += 1
      last -= 1
    }
    return nil
  }
}

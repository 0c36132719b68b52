/// Members of a to-many relationship that took the place of others in its list.
///
/// It has only the members that differ, so that the change of one member of a long list stays small.
struct MemberReplacement {
  /// The number of members before the replaced ones.
  private(set) var start: Int
  /// The last of the members before the replaced ones.
  private(set) var neighbour: (any PersistentModel)?
  private(set) var former: [any PersistentModel]
  private(set) var current: [any PersistentModel]

  init(
    after neighbour: (any PersistentModel)?, at start: Int, _ former: [any PersistentModel],
    by current: [any PersistentModel]
  ) {
    self.start = start
    self.neighbour = neighbour
    self.former = former
    self.current = current
  }

  /// The difference between two lists. Cost: their lengths.
  init(from old: [any PersistentModel], to new: [any PersistentModel]) {
    let (former, current) = differingPlaces(old, new)
    self.init(
      after: former.lowerBound > 0 ? old[former.lowerBound - 1] : nil, at: former.lowerBound, Array(old[former]),
      by: Array(new[current]))
  }

  /// The difference between two lists.
  ///
  /// - Parameters:
  ///   - former: the places in the old list whose members differ from the new list's.
  ///   - current: the places in the new list whose members differ from the old list's.
  init<Member: PersistentModel>(_ former: Range<Int>, of old: [Member], by current: Range<Int>, of new: [Member]) {
    self.init(
      after: former.lowerBound > 0 ? old[former.lowerBound - 1] : nil, at: former.lowerBound, Array(old[former]),
      by: Array(new[current]))
  }

  /// Whether a list still has the former members at their places.
  func isFormer<Member: PersistentModel>(in list: [Member]) -> Bool { Self.has(list, former, at: start) }

  private static func has<Member: PersistentModel>(
    _ list: [Member], _ members: [any PersistentModel], at start: Int
  ) -> Bool {
    let end = start + members.count
    return end <= list.count && zip(list[start..<end], members).allSatisfy { $0 === $1 }
  }

  /// Whether no member took the place of another one.
  var isEmpty: Bool { former.isEmpty && current.isEmpty }

  /// Leaves some members out.
  func without(_ members: Set<ObjectIdentifier>) -> MemberReplacement {
    func rest(_ list: [any PersistentModel]) -> [any PersistentModel] {
      list.filter { !members.contains(ObjectIdentifier($0)) }
    }
    return MemberReplacement(after: neighbour, at: start, rest(former), by: rest(current))
  }

  /// Joins a later replacement at the same places of the list, so that both become one.
  ///
  /// - Returns: whether the later replacement is at these places.
  mutating func join(_ later: MemberReplacement) -> Bool {
    let (end, laterEnd) = (start + current.count, later.start + later.former.count)
    guard later.start <= end, laterEnd >= start else { return false }
    let common = max(start, later.start)..<min(end, laterEnd)
    // Others may have changed the list between the two.
    guard common.allSatisfy({ current[$0 - start] === later.former[$0 - later.start] }) else { return false }
    if later.start < start {
      former.insert(contentsOf: later.former[..<(start - later.start)], at: 0)
      neighbour = later.neighbour
    }
    if laterEnd > end { former += later.former.suffix(laterEnd - end) }
    current.replaceSubrange(common.lowerBound - start..<common.upperBound - start, with: later.current)
    start = min(start, later.start)
    dropCommonEnds()
    return true
  }

  /// Drops the members at the ends that are the same before and after.
  private mutating func dropCommonEnds() {
    let (differing, _) = differingPlaces(former, current)
    let (start, tail) = (differing.lowerBound, former.count - differing.upperBound)
    guard start + tail > 0 else { return }
    if start > 0 { neighbour = former[start - 1] }
    self.start += start
    former = Array(former[differing])
    current = Array(current[start..<current.count - tail])
  }
}

extension MemberReplacement {
  /// The replacement that takes this one back in the present list: it changes only what this one has changed.
  ///
  /// Cost: that of its members while the list has them where they were put; otherwise that of the list.
  /// - Parameters:
  ///   - isMember: whether the list has a member.
  ///   - isUsable: whether a former member can come back.
  func reversal<Member: PersistentModel>(
    in list: [Member], isMember: (ObjectIdentifier) -> Bool, where isUsable: (any PersistentModel) -> Bool
  ) -> MemberReplacement {
    let returning = former.compactMap { isUsable($0) ? downcast($0, to: Member.self) : nil }
    let added = Set(current.map { ObjectIdentifier($0) })
    // The undo of the other side has taken the members back.
    if returning.isEmpty, !current.contains(where: { isMember(ObjectIdentifier($0)) }) {
      return MemberReplacement(after: neighbour, at: start, [], by: [])
    }
    let isInPlace =
      Self.has(list, current, at: start) && (start == 0 || list[start - 1] === neighbour)
      && returning.allSatisfy { added.contains(ObjectIdentifier($0)) || !isMember(ObjectIdentifier($0)) }
    if isInPlace { return MemberReplacement(after: neighbour, at: start, current, by: returning) }
    return MemberReplacement(from: list, to: restored(list, returning, added))
  }

  /// The list before this replacement, but for what others have changed since.
  private func restored<Member: PersistentModel>(
    _ list: [Member], _ returning: [Member], _ added: Set<ObjectIdentifier>
  ) -> [Member] {
    let known = Set(former.map { ObjectIdentifier($0) })
    var present: Set<ObjectIdentifier> = []
    var rest: [Member] = []
    rest.reserveCapacity(list.count)
    for member in list {
      let identifier = ObjectIdentifier(member)
      if known.contains(identifier) {
        present.insert(identifier)
      } else if !added.contains(identifier) {
        rest.append(member)
      }
    }
    let members = returning.filter {
      present.contains(ObjectIdentifier($0)) || !added.contains(ObjectIdentifier($0))
    }
    rest.insert(contentsOf: members, at: place(in: rest))
    return rest
  }

  private func place<Member: PersistentModel>(in rest: [Member]) -> Int {
    guard let neighbour else { return 0 }
    if start <= rest.count, rest[start - 1] === neighbour { return start }
    return rest.firstIndex { $0 === neighbour }.map { $0 + 1 } ?? min(start, rest.count)
  }
}

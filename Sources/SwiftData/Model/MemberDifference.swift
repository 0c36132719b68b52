/// The objects removed from and added to a to-many relationship by an assignment, each once.
///
/// Skips equal members at the beginning and the end of both lists by comparing pointers. So appending one member to
/// many members costs little more than a pass over them.
struct MemberDifference<Member: PersistentModel> {
  private(set) var removed: [any PersistentModel] = []
  private(set) var added: [any PersistentModel] = []
  /// Whether the new list contains an object twice; the old list never does.
  private(set) var hasRepetitions = false

  init(from old: [Member], to new: [Member]) {
    let shorter = min(old.count, new.count)
    var start = 0
    while start < shorter, old[start] === new[start] { start += 1 }
    var tail = 0
    while tail < shorter - start, old[old.count - 1 - tail] === new[new.count - 1 - tail] { tail += 1 }
    let (gone, came) = (old[start..<old.count - tail], new[start..<new.count - tail])
    let isKept = Self.finder(new[..<start], new[(new.count - tail)...], lookups: came.count)
    let former = Set(gone.map { ObjectIdentifier($0) })
    var present: Set<ObjectIdentifier> = []
    for member in came {
      guard present.insert(ObjectIdentifier(member)).inserted, !isKept(member) else {
        hasRepetitions = true
        continue
      }
      if !former.contains(ObjectIdentifier(member)) { added.append(member) }
    }
    for member in gone where !present.contains(ObjectIdentifier(member)) { removed.append(member) }
  }

  /// Returns a test for membership in two lists: a linear search for few look-ups, a set for many.
  private static func finder(
    _ first: ArraySlice<Member>, _ second: ArraySlice<Member>, lookups: Int
  ) -> (Member) -> Bool {
    guard lookups > 8 else {
      return { member in first.contains { $0 === member } || second.contains { $0 === member } }
    }
    let identifiers = Set((first + second).map { ObjectIdentifier($0) })
    return { identifiers.contains(ObjectIdentifier($0)) }
  }
}

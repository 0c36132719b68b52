/// The members of a to-many relationship that a client changes in place, in two lists of equal content.
///
/// A client changes one list; the other one keeps the members as they were. It answers reads during the change, and shows
/// afterwards which members came and went. Each list has memory of its own, so that neither is copied for a change.
final class EditedMembers<Member: PersistentModel> {
  /// The list that a client changes; empty while the client has it.
  private var current: [Member]
  /// The members whose inverses are up to date.
  private(set) var settled: [Member]
  /// Members that both lists still have.
  private var leaving = LeavingMembers()
  /// Whether a client is changing the list.
  private(set) var isMovedOut = false
  /// Finds settled members; made after some searches without it, and absent where a list has a member twice.
  private var index: MemberIndex?
  private var searches = 0
  private var use = UseSinceSweep()

  init(_ members: [Member]) {
    current = members
    settled = members
  }

  deinit {
    ReleaseQueue.release(&current)
    ReleaseQueue.release(&settled)
  }

  /// The members for readers.
  var visible: [Member] {
    use.note()
    return withExtendedLifetime(takeOutLeaving()) { isMovedOut ? settled : current }
  }

  /// Whether the lists were made or read since the last sweep; a sweep begins.
  func passSweep() -> Bool { use.passSweep() }

  /// Gives the list away; the caller has a copy of it, the only one from then on.
  func moveOut() {
    let gone = takeOutLeaving()
    current = []
    isMovedOut = true
    withExtendedLifetime(gone) {}
  }

  /// Takes the changed list back.
  func moveIn(_ members: [Member]) {
    current = members
    isMovedOut = false
  }

  /// The members that came and went since the last call.
  ///
  /// Cost: the comparison of two blocks of memory, and work for each member that moved.
  /// - Parameter keepsPlaces: see ``MemberDifference``.
  func settle(keepsPlaces: Bool = false) -> MemberDifference {
    let gone = takeOutLeaving()
    defer { withExtendedLifetime(gone) {} }
    indexIfDue()
    let difference = MemberDifference(from: settled, to: current, index: index, keepsPlaces: keepsPlaces)
    if difference.hasRepetitions {
      index = nil
      settled = current
      return difference
    }
    for place in difference.former { index?.remove(ObjectIdentifier(settled[place])) }
    for place in difference.current { index?.insert(ObjectIdentifier(current[place])) }
    if difference.former.isEmpty, difference.current.count == 1, difference.current.upperBound == current.count {
      settled.append(current[difference.current.lowerBound])
    } else {
      settled.replaceSubrange(difference.former, with: current[difference.current])
    }
    return difference
  }

  /// Replaces members; their inverses are updated afterwards.
  ///
  /// - Returns: whether both lists have the members to replace at their places.
  func replace(_ replacement: MemberReplacement) -> Bool {
    let gone = takeOutLeaving()
    defer { withExtendedLifetime(gone) {} }
    guard settled.count == current.count, replacement.isFormer(in: settled), replacement.isFormer(in: current) else {
      return false
    }
    let places = replacement.start..<replacement.start + replacement.former.count
    let members = replacement.current.compactMap { downcast($0, to: Member.self) }
    for member in replacement.former { index?.remove(ObjectIdentifier(member)) }
    for member in members { index?.insert(ObjectIdentifier(member)) }
    settled.replaceSubrange(places, with: members)
    current.replaceSubrange(places, with: members)
    return true
  }

  /// Whether the lists have a member.
  func contains(_ member: ObjectIdentifier) -> Bool {
    let gone = takeOutLeaving()
    defer { withExtendedLifetime(gone) {} }
    indexIfDue()
    return index?.contains(member) ?? (memberPlace(of: member, in: settled) != nil)
  }

  /// Adds a member whose inverse is up to date.
  ///
  /// - Parameter gone: gets the members that leave the lists meanwhile, see ``LeavingMembers/leave(_:)``.
  func add(_ member: Member, _ gone: inout [AnyObject]) {
    if leaving.contains(member) { gone += takeOutLeaving() as [AnyObject] }
    settled.append(member)
    index?.insert(ObjectIdentifier(member))
    current.append(member)
  }

  /// Removes a member whose inverse is up to date.
  ///
  /// - Parameters:
  ///   - keepsPlace: whether the caller needs the place, which costs a search.
  ///   - gone: gets the members that leave the lists meanwhile, see ``LeavingMembers/leave(_:)``.
  /// - Returns: the member's place; `nil` if the lists do not have it.
  func remove(_ member: any PersistentModel, keepsPlace: Bool, _ gone: inout [AnyObject]) -> Int? {
    index?.remove(ObjectIdentifier(member))
    if !keepsPlace, leaving.add(member, of: settled.count) { return nil }
    gone += takeOutLeaving() as [AnyObject]
    guard let settledPlace = memberPlace(of: ObjectIdentifier(member), in: settled) else { return nil }
    settled.remove(at: settledPlace)
    if let place = memberPlace(of: ObjectIdentifier(member), in: current) { current.remove(at: place) }
    return settledPlace
  }

  /// Takes the leaving members out of both lists. See ``LeavingMembers/leave(_:)`` for what it returns.
  private func takeOutLeaving() -> [Member] {
    guard !leaving.isEmpty else { return [] }
    var others = leaving
    let gone = leaving.leave(&settled)
    let same = others.leave(&current)
    return withExtendedLifetime(same) { gone }
  }

  /// Makes the index when searches have cost about as much.
  private func indexIfDue() {
    guard index == nil else { return }
    searches += 1
    guard searches > 8 else { return }
    let made = MemberIndex(settled.lazy.map { ObjectIdentifier($0) })
    if made.count == settled.count { index = made } else { searches = 0 }
  }
}

extension EditedMembers: @unchecked Sendable where Member: Sendable {}

/// The value of a property while a client changes it in place: `author.books.append(book)`.
public struct _InPlaceChange<Value> {
  /// The copy that the client changes.
  public var value: Value
  /// The lists of a to-many relationship from which the value was moved; `nil` if the value is a copy.
  var source: AnyObject?

  /// Starts with a copy of the property's value.
  public init(_ value: Value) { self.value = value }
}

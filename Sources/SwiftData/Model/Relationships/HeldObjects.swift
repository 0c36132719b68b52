/// The object in the storage of a relationship to one; see ``ReleaseQueue``.
final class HeldObject {
  private let reference: Unmanaged<AnyObject>

  init(_ object: AnyObject) { reference = Unmanaged.passRetained(object) }

  deinit { ReleaseQueue.release(reference) }

  var object: AnyObject { reference.takeUnretainedValue() }
}

/// The members in the storage of a relationship to many; see ``ReleaseQueue``.
///
/// The class is not generic, so that making it looks no metadata up.
final class HeldObjects {
  private var objects: [AnyObject]
  private var leaving = LeavingMembers()
  private var use = UseSinceSweep()

  init<Member: AnyObject>(_ members: [Member]) {
    // An array of objects is an array of references, whatever their class.
    objects = unsafeBitCast(members, to: [AnyObject].self)
  }

  deinit { ReleaseQueue.release(&objects) }

  /// The members as objects of their class.
  func members<Member: AnyObject>(of type: Member.Type) -> [Member] {
    use.note()
    return withExtendedLifetime(leaving.leave(&objects)) { unsafeBitCast(objects, to: [Member].self) }
  }

  /// Adds a member.
  ///
  /// - Parameter gone: gets the members that leave the list meanwhile, see ``LeavingMembers/leave(_:)``.
  func add(_ member: AnyObject, _ gone: inout [AnyObject]) {
    if leaving.contains(member) { gone += leaving.leave(&objects) }
    objects.append(member)
  }

  /// Removes a member.
  ///
  /// - Parameters:
  ///   - keepsPlace: whether the caller needs the place, which costs a search.
  ///   - gone: gets the members that leave the list meanwhile, see ``LeavingMembers/leave(_:)``.
  /// - Returns: the member's place; `nil` if it is no member.
  func remove(_ member: AnyObject, keepsPlace: Bool, _ gone: inout [AnyObject]) -> Int? {
    if !keepsPlace, leaving.add(member, of: objects.count) { return nil }
    gone += leaving.leave(&objects)
    guard let place = memberPlace(of: ObjectIdentifier(member), in: objects) else { return nil }
    objects.remove(at: place)
    return place
  }

  /// Whether the list was made or read since the last sweep; a sweep begins.
  func passSweep() -> Bool { use.passSweep() }

  var count: Int {
    withExtendedLifetime(leaving.leave(&objects)) { objects.count }
  }

  func contains(_ member: ObjectIdentifier) -> Bool {
    withExtendedLifetime(leaving.leave(&objects)) { objects.contains { ObjectIdentifier($0) == member } }
  }

  /// The member at a place, as an object of its class; `nil` if there is none.
  func member<Member: AnyObject>(at place: Int, of type: Member.Type) -> Member? {
    withExtendedLifetime(leaving.leave(&objects)) {
      objects.indices.contains(place) ? unsafeDowncast(objects[place], to: Member.self) : nil
    }
  }
}

/// As of the objects that it holds: the storage is only sendable if they are.
///
/// Reading takes leaving members out, which changes the list. So several threads may read the list of a detached object only
/// once it was read since a member left it.
extension HeldObjects: @unchecked Sendable {}

/// Whether a list of members was made or read since the last sweep of its context.
///
/// A sweep keeps such lists. Otherwise a program that goes on reading one long list would load it again after each sweep, which makes the
/// next sweep due.
struct UseSinceSweep {
  private var isUsed = true

  /// Notes a read. Threads that read the list of a detached object, which no sweep reaches, write nothing.
  mutating func note() { if !isUsed { isUsed = true } }

  /// Whether there was a use; a sweep begins.
  mutating func passSweep() -> Bool {
    defer { isUsed = false }
    return isUsed
  }
}

/// Members that are no longer in a list, which still has them. They leave it together, before somebody reads the list.
///
/// To take each of many members out by itself, the list would be searched each time, and the members behind would move.
struct LeavingMembers {
  private var members: Set<ObjectIdentifier> = []

  /// The members of a short list leave it at once.
  private static let shortestList = 64

  var isEmpty: Bool { members.isEmpty }

  func contains(_ member: AnyObject) -> Bool { members.contains(ObjectIdentifier(member)) }

  /// Adds a member of a list.
  ///
  /// - Returns: `false` if the caller must take the member out, after those that were added before.
  mutating func add(_ member: AnyObject, of count: Int) -> Bool {
    // The list keeps members that have left for less than half of its length.
    guard count >= Self.shortestList, 2 * members.count < count else { return false }
    members.insert(ObjectIdentifier(member))
    return true
  }

  /// Takes the members out of a list.
  ///
  /// - Returns: the members that have left. The caller keeps them until it is done with the list. Otherwise their `deinit` might run
  ///   here, and might read the list.
  mutating func leave<Member: AnyObject>(_ list: inout [Member]) -> [Member] {
    guard !members.isEmpty else { return [] }
    let leaving = members
    members = []
    // A search by address is cheaper than a test of each member.
    var gone: [Member] = []
    if leaving.count == 1, let member = leaving.first {
      while let place = memberPlace(of: member, in: list) { gone.append(list.remove(at: place)) }
      return gone
    }
    gone.reserveCapacity(leaving.count)
    list.removeAll { member in
      guard leaving.contains(ObjectIdentifier(member)) else { return false }
      gone.append(member)
      return true
    }
    return gone
  }
}

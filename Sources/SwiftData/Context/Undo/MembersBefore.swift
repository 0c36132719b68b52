/// A change of what a to-many relationship records about one member.
struct LinkStep {
  let owner: any PersistentModel
  let property: Int
  let member: any PersistentModel
  let before: LinkChanges.Mark?
  var after: LinkChanges.Mark?

  /// Whether the member was added.
  var isAddition: Bool { before == .removed && after != .removed || before != .added && after == .added }

  /// Whether the member was removed.
  var isRemoval: Bool { before != .removed && after == .removed || before == .added && after != .added }
}

/// The steps of an action in one relationship, one for each member, in the order of the first ones.
struct LinkSteps {
  private(set) var all: [LinkStep] = []
  private var places: [ObjectIdentifier: Int] = [:]

  subscript(member: any PersistentModel) -> LinkStep? { places[ObjectIdentifier(member)].map { all[$0] } }

  mutating func add(_ step: LinkStep) {
    let member = ObjectIdentifier(step.member)
    if let place = places[member] {
      all[place].after = step.after
    } else {
      places[member] = all.count
      all.append(step)
    }
  }
}

/// The members of a to-many relationship before an action.
///
/// At the end of the action only the members stay that differ, so that thousands of actions do not copy a long list each.
struct MembersBefore {
  /// The members where the lists before and after the action differ.
  private(set) var members: [any PersistentModel]
  /// The members there after the action; `nil` if they are not known.
  private var later: Set<ObjectIdentifier>?
  /// The number of members before these places.
  private var start = 0
  /// The last one of them.
  private var neighbour: (any PersistentModel)?

  /// All members before the action.
  init(_ members: [any PersistentModel]) { self.members = members }

  /// Keeps only the members that differ from those after the action.
  mutating func reduce(to now: [any PersistentModel]) {
    guard later == nil else { return }
    let (former, current) = differingPlaces(members, now)
    later = Set(now[current].map { ObjectIdentifier($0) })
    start = former.lowerBound
    neighbour = start > 0 ? now[start - 1] : nil
    members = Array(members[former])
  }

  /// The members before the action, but for what others have changed since: undo changes only what the action did.
  ///
  /// - Parameters:
  ///   - now: the present members.
  ///   - steps: what the action did.
  ///   - returned: objects that the action has deleted after it had changed their links.
  func restored(
    in now: [any PersistentModel], _ steps: LinkSteps, returned: Set<ObjectIdentifier>
  ) -> [any PersistentModel] {
    let known = Set(members.map { ObjectIdentifier($0) })
    var present: Set<ObjectIdentifier> = []
    var rest: [any PersistentModel] = []
    rest.reserveCapacity(now.count)
    for member in now {
      let identifier = ObjectIdentifier(member)
      if known.contains(identifier) {
        present.insert(identifier)
      } else if let step = steps[member],
        returned.contains(identifier) || step.isAddition && later?.contains(identifier) != false
      {
        continue
      } else {
        rest.append(member)
      }
    }
    let former = members.filter { present.contains(ObjectIdentifier($0)) || steps[$0]?.isRemoval == true }
    rest.insert(contentsOf: former, at: place(in: rest))
    return rest
  }

  private func place(in rest: [any PersistentModel]) -> Int {
    guard let neighbour else { return 0 }
    if start <= rest.count, rest[start - 1] === neighbour { return start }
    return rest.firstIndex { $0 === neighbour }.map { $0 + 1 } ?? min(start, rest.count)
  }
}

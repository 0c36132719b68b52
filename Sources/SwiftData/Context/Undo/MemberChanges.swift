/// What an action did to a to-many relationship: to its list, and to the record of its unsaved links.
struct MemberChanges {
  /// The changes of the loaded list, in their order.
  private(set) var replacements: [MemberReplacement] = []
  /// What happened to each member, in the order of the first changes.
  private(set) var members: [Member] = []
  private var places: [ObjectIdentifier: Int] = [:]

  /// What an action did to the link to one object.
  struct Member {
    let object: any PersistentModel
    /// What was recorded before the action.
    let mark: LinkChanges.Mark?
    /// Whether the object was a member before the action and after it; `nil` if the action did not change that.
    fileprivate(set) var membership: (before: Bool, after: Bool)?
  }

  mutating func add(_ step: LinkStep) {
    let identifier = ObjectIdentifier(step.member)
    let place = places[identifier] ?? members.count
    if place == members.count {
      places[identifier] = place
      members.append(Member(object: step.member, mark: step.before))
    }
    guard let kind = step.kind else { return }
    members[place].membership = (members[place].membership?.before ?? (kind == .remove), kind == .add)
  }

  mutating func add(_ replacement: MemberReplacement) {
    if let last = replacements.indices.last, replacements[last].join(replacement) {
      if replacements[last].isEmpty { replacements.removeLast() }
    } else {
      replacements.append(replacement)
    }
  }

  /// Drops what only an unfinished action needs.
  mutating func close() { places = [:] }
}

extension MemberChanges {
  /// The changes of the list to take back, without members that came and went, or that others have taken since.
  ///
  /// - Parameters:
  ///   - isPresent: whether the list has an object now.
  ///   - returned: the objects that the action deleted. They come back with the links that they had when they were deleted.
  func replacementsToReverse(
    isPresent: (any PersistentModel) -> Bool, returned: () -> Set<ObjectIdentifier>
  ) -> [MemberReplacement] {
    let passing = members.filter { $0.membership.map { $0.before == $0.after } ?? false }
    guard !passing.isEmpty else { return replacements }
    let returned = returned()
    let ignored = passing.filter { member in
      let wasMember = member.membership?.before == true
      return !(isPresent(member.object) && (wasMember || returned.contains(ObjectIdentifier(member.object))))
    }
    let identifiers = Set(ignored.map { ObjectIdentifier($0.object) })
    return replacements.map { $0.without(identifiers) }
  }

  /// The links to restore that no change of the list has, because it was not loaded when they were changed.
  func unlistedLinks(returned: () -> Set<ObjectIdentifier>) -> [(object: any PersistentModel, isMember: Bool)] {
    let changed = members.filter { $0.membership != nil }
    guard !changed.isEmpty else { return [] }
    let listed = Set(replacements.flatMap { $0.former + $0.current }.map { ObjectIdentifier($0) })
    return changed.filter { !listed.contains(ObjectIdentifier($0.object)) }.compactMap { member in
      guard let membership = member.membership else { return nil }
      if membership.before != membership.after { return (member.object, membership.before) }
      return !membership.before && returned().contains(ObjectIdentifier(member.object)) ? (member.object, false) : nil
    }
  }
}

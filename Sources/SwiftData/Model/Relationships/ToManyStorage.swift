/// The storage of a to-many relationship's members in an object.
///
/// The members of an attached object's relationship are loaded on first use and dropped when the context sweeps.
public struct _ToManyStorage<Destination: PersistentModel>: _PropertyStorage {
  var members: Members

  enum Members {
    case pending
    case nothing
    /// As `loaded`; most new objects have no members.
    case empty
    case loaded(HeldObjects)
    /// As `loaded`, after a change in place.
    case edited(EditedMembers<Destination>)
  }

  /// A storage without value.
  public init() { members = .pending }

  /// A storage with members; for a detached object only, `nil` is kept apart from an empty list.
  public init(_ members: [Destination]?) {
    self.members = members.map { $0.isEmpty ? .empty : .loaded(HeldObjects($0)) } ?? .nothing
  }

  /// Whether nothing was assigned or loaded.
  public var _isPending: Bool { if case .pending = members { true } else { false } }

  /// The storage with its members loaded; a detached object has none. Stays empty if they cannot be read.
  public func _resolved(for object: some PersistentModel, at property: Int) -> Self {
    if let recorder = object._$state.extras?.recorder { _ = recorder.note(property, of: object) }
    guard object._$state._isAttached, let owner = object._$state.owner else { return Self(nil) }
    // The storage of a closed context stays empty; `_value` loads the members at each read.
    guard !owner.isClosed else { return Self() }
    guard let members = owner.members(of: object, at: property) else { return Self() }
    return Self(members.compactMap { downcast($0, to: Destination.self) })
  }

  /// The members.
  public func _value(for object: some PersistentModel, at property: Int) -> [Destination] {
    held ?? loadedMembers(of: object, at: property)
  }

  /// The members; `nil` for a detached object whose relationship was not assigned.
  public func _value(for object: some PersistentModel, at property: Int) -> [Destination]? {
    if let held { return held }
    return object._$state._isAttached ? loadedMembers(of: object, at: property) : nil
  }

  /// The members of an empty storage: read again for an object whose context is closed; an empty list if they cannot be
  /// read.
  private func loadedMembers(of object: some PersistentModel, at property: Int) -> [Destination] {
    guard _isPending, let owner = object._$state.owner, object._$state._isAttached else { return [] }
    if owner.isClosed, let members = owner.members(of: object, at: property) {
      return members.compactMap { downcast($0, to: Destination.self) }
    }
    owner.noteUnreadable(object, at: property)
    return []
  }

  /// The members in the storage; `nil` if it has none.
  var held: [Destination]? {
    switch members {
    case .pending, .nothing: nil
    case .empty: []
    case .loaded(let held): held.members(of: Destination.self)
    case .edited(let edited): edited.visible
    }
  }

  /// The loaded members; none for a relationship without value. `nil` if they are not loaded.
  var loaded: [Destination]? { _isPending ? nil : held ?? [] }

  /// Replaces the members.
  public mutating func _assign(_ newValue: [Destination]?) { self = Self(newValue) }

  /// The resolved storage before an assignment; the context notes the change of an attached object.
  ///
  /// The members before the change are not kept: a rollback loads them again.
  public func _prepared(for object: some PersistentModel, at property: Int) -> Self {
    guard object._$state._isAttached else { return self }
    let resolved = _isPending ? _resolved(for: object, at: property) : self
    if _isPending, object._$state.owner?.changeStream.hasListeners == true {
      // Listeners find the members before the change in the object.
      var putter = StoragePutter(storage: resolved)
      object._$visit(property, &putter)
    }
    _ = _prepareChange(of: object, at: property, original: resolved._isPending ? Self() : Self(nil))
    return resolved
  }

  /// Tells the context about the change, so that it updates the inverses; called on the storage before the assignment.
  ///
  /// A detached object enters the context of its new members. Cost: one pointer comparison per member, and the
  /// context's work for each added or removed member.
  public func _didChange(of object: some PersistentModel, at property: Int) {
    var taker = StorageTaker<Self>()
    object._$visit(property, &taker)
    if case .edited(let edited) = members, case .edited(let same)? = taker.storage?.members, edited === same {
      return didEdit(edited, of: object, at: property)
    }
    let new = taker.storage?.held ?? []
    guard object._$state._isAttached else { return join(object, at: property, contextOf: new) }
    guard let owner = object._$state.owner else { return }
    let old = held ?? []
    guard !owner.mergesLists(of: object) else {
      owner.noteReplacement(of: object, at: property, from: old)
      return owner.relationshipDidChange(of: object, at: property, from: old, to: new)
    }
    let change = MemberDifference(from: old, to: new, keepsPlaces: owner.changeStream.needsPlaces)
    owner.membersDidChange(of: object, at: property, change, to: new)
  }
}

// Changes in place.
extension _ToManyStorage {
  /// Moves the members out of the storage before a client changes them, so that the array is not copied.
  ///
  /// The storage shows the members before the change meanwhile.
  public mutating func _begin(_ change: inout _InPlaceChange<[Destination]>) { change.source = moveOut() }

  /// Moves the members out of the storage of an optional relationship.
  public mutating func _begin(_ change: inout _InPlaceChange<[Destination]?>) { change.source = moveOut() }

  /// Takes the members that a client has changed.
  public mutating func _finish(_ change: inout _InPlaceChange<[Destination]>) {
    takeBack(change.value, change.source)
    change.source = nil
  }

  /// Takes the members of an optional relationship that a client has changed.
  public mutating func _finish(_ change: inout _InPlaceChange<[Destination]?>) {
    takeBack(change.value, change.source)
    change.source = nil
  }

  private mutating func moveOut() -> AnyObject? {
    guard let edited = takeEdited() ?? held.map({ EditedMembers($0) }) else { return nil }
    edited.moveOut()
    members = .edited(edited)
    return edited
  }

  private mutating func takeBack(_ newValue: [Destination]?, _ source: AnyObject?) {
    if case .edited(let edited) = members, edited === source, let newValue {
      edited.moveIn(newValue)
    } else {
      // Someone assigned, changed or dropped the members meanwhile.
      _assign(newValue)
    }
  }

  /// Takes the lists of an edited relationship out of the storage. Returns `nil` if the storage has no such lists, if a
  /// client is changing one, or if a copy of the storage shares them.
  private mutating func takeEdited() -> EditedMembers<Destination>? {
    guard case .edited(var edited) = members, !edited.isMovedOut else { return nil }
    members = .pending
    if isKnownUniquelyReferenced(&edited) { return edited }
    members = .loaded(HeldObjects(edited.visible))
    return nil
  }

  /// Takes the members out of the storage, so that nobody shares them and they are changed in place.
  private mutating func takeHeld() -> HeldObjects {
    guard case .loaded(var held) = members else { return HeldObjects(self.held ?? []) }
    members = .pending
    return isKnownUniquelyReferenced(&held) ? held : HeldObjects(held.members(of: Destination.self))
  }

  /// Adds an object to the loaded members, or removes it from them; the inverses are up to date.
  ///
  /// - Parameters:
  ///   - keepsPlace: whether the caller needs the place, which costs a search.
  ///   - gone: gets members that left the list earlier. The caller keeps them until its access to the storage ends.
  /// - Returns: the object's place; `nil` if nothing changed.
  mutating func change(
    _ kind: MemberChange.Kind, _ object: any PersistentModel, keepsPlace: Bool, _ gone: inout [AnyObject]
  ) -> Int? {
    if let edited = takeEdited() {
      defer { members = .edited(edited) }
      switch kind {
      case .add:
        guard let member = downcast(object, to: Destination.self) else { return nil }
        edited.add(member, &gone)
        return keepsPlace ? edited.visible.count - 1 : nil
      case .remove: return edited.remove(object, keepsPlace: keepsPlace, &gone)
      }
    }
    guard !_isPending else { return nil }
    let changed = takeHeld()
    defer { members = .loaded(changed) }
    switch kind {
    case .add:
      guard let member = downcast(object, to: Destination.self) else { return nil }
      changed.add(member, &gone)
      return keepsPlace ? changed.count - 1 : nil
    case .remove: return changed.remove(object, keepsPlace: keepsPlace, &gone)
    }
  }

  /// Replaces some of the loaded members; their inverses are updated afterwards.
  ///
  /// - Returns: whether the members to replace are at their places.
  mutating func replace(_ replacement: MemberReplacement) -> Bool {
    guard let edited = takeEdited() ?? loaded.map({ EditedMembers($0) }) else { return false }
    members = .edited(edited)
    return edited.replace(replacement)
  }

  /// Empties the storage if nobody has read the members since the last sweep.
  mutating func sweep() {
    let isUsed =
      switch members {
      case .pending, .nothing, .empty: false
      case .loaded(let held): held.passSweep()
      case .edited(let edited): edited.passSweep()
      }
    if !isUsed { self = Self() }
  }

  /// The member at a place of the loaded list; `nil` if there is none.
  func member(at place: Int) -> Destination? {
    switch members {
    case .pending, .nothing, .empty: nil
    case .loaded(let held): held.member(at: place, of: Destination.self)
    case .edited(let edited): edited.visible.indices.contains(place) ? edited.visible[place] : nil
    }
  }

  /// See ``MemberReplacement/reversal(in:isMember:where:)``; `nil` if the members are not loaded.
  func reversal(
    of replacement: MemberReplacement, where isUsable: (any PersistentModel) -> Bool
  ) -> MemberReplacement? {
    loaded.map { replacement.reversal(in: $0, isMember: contains, where: isUsable) }
  }

  /// Whether the loaded list has a member.
  func contains(_ member: ObjectIdentifier) -> Bool {
    switch members {
    case .pending, .nothing, .empty: false
    case .loaded(let held): held.contains(member)
    case .edited(let edited): edited.contains(member)
    }
  }

  /// Tells the context about members changed in place.
  private func didEdit(
    _ edited: EditedMembers<Destination>, of object: some PersistentModel, at property: Int
  ) {
    guard object._$state._isAttached else { return join(object, at: property, contextOf: edited.settle().added) }
    guard let owner = object._$state.owner else { return }
    guard !owner.mergesLists(of: object) else {
      let old = edited.settled
      _ = edited.settle()
      owner.noteReplacement(of: object, at: property, from: old)
      return owner.relationshipDidChange(of: object, at: property, from: old, to: edited.visible)
    }
    let change = edited.settle(keepsPlaces: owner.changeStream.needsPlaces)
    owner.membersDidChange(of: object, at: property, change, to: edited.visible)
  }
}

extension _ToManyStorage: Sendable where Destination: Sendable {}
extension _ToManyStorage.Members: Sendable where Destination: Sendable {}

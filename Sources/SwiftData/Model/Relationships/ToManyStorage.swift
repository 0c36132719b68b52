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
    // The context merges the lists of an alias with those of its original.
    guard owner.aliases.original(of: object) == nil else {
      return owner.relationshipDidChange(of: object, at: property, from: old, to: new)
    }
    let change = MemberDifference(from: old, to: new)
    if change.hasRepetitions { owner.removeRepetitions(of: object, at: property, new) }
    owner.relationshipDidChange(of: object, at: property, from: change.removed, to: change.added)
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
  mutating func change(_ kind: MemberChange.Kind, _ object: any PersistentModel) {
    if let edited = takeEdited() {
      switch kind {
      case .add: if let member = downcast(object, to: Destination.self) { edited.add(member) }
      case .remove: edited.remove(object)
      }
      members = .edited(edited)
      return
    }
    guard !_isPending else { return }
    let changed = takeHeld()
    switch kind {
    case .add: if let member = downcast(object, to: Destination.self) { changed.add(member) }
    case .remove: changed.remove(object)
    }
    members = .loaded(changed)
  }

  /// Tells the context about members changed in place.
  private func didEdit(
    _ edited: EditedMembers<Destination>, of object: some PersistentModel, at property: Int
  ) {
    guard object._$state._isAttached else { return join(object, at: property, contextOf: edited.settle().added) }
    guard let owner = object._$state.owner else { return }
    // The context merges the lists of an alias with those of its original.
    guard owner.aliases.original(of: object) == nil else {
      let old = edited.settled
      _ = edited.settle()
      return owner.relationshipDidChange(of: object, at: property, from: old, to: edited.visible)
    }
    let change = edited.settle()
    if change.hasRepetitions { owner.removeRepetitions(of: object, at: property, edited.visible) }
    owner.relationshipDidChange(of: object, at: property, from: change.removed, to: change.added)
  }
}

extension _ToManyStorage: Sendable where Destination: Sendable {}
extension _ToManyStorage.Members: Sendable where Destination: Sendable {}

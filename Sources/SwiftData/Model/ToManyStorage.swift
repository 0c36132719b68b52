/// Where an object keeps the members of a to-many relationship.
///
/// The members of an attached object's relationship are loaded on first use and dropped when the context sweeps.
public struct _ToManyStorage<Destination: PersistentModel>: _PropertyStorage {
  var members: Members

  enum Members {
    case pending
    case nothing
    case loaded([Destination])
  }

  /// A storage without value.
  public init() { members = .pending }

  /// A storage with members; `nil` is kept apart from none for a detached object only.
  public init(_ members: [Destination]?) { self.members = members.map { .loaded($0) } ?? .nothing }

  /// Whether nothing was assigned or loaded.
  public var _isPending: Bool { if case .pending = members { true } else { false } }

  /// The storage with its members loaded; a detached object has none. As it is while they cannot be read.
  public func _resolved(for object: some PersistentModel, at property: Int) -> Self {
    if let recorder = object._$state.extras?.recorder { _ = recorder.note(property, of: object) }
    guard object._$state._isAttached, let owner = object._$state.owner else { return Self(nil) }
    // A closed context keeps nothing alive: `_value` loads the members each time.
    guard !owner.isClosed else { return Self() }
    guard let members = owner.members(of: object, at: property) else { return Self() }
    return Self(members.compactMap { downcast($0, to: Destination.self) })
  }

  /// The members.
  public func _value(for object: some PersistentModel, at property: Int) -> [Destination] {
    if case .loaded(let members) = members { return members }
    return loadedMembers(of: object, at: property)
  }

  /// The members; `nil` for a detached object whose relationship was not assigned.
  public func _value(for object: some PersistentModel, at property: Int) -> [Destination]? {
    if case .loaded(let members) = members { return members }
    return object._$state._isAttached ? loadedMembers(of: object, at: property) : nil
  }

  /// The members where the storage has none: those of an object whose context is closed, or none where they could not be read.
  private func loadedMembers(of object: some PersistentModel, at property: Int) -> [Destination] {
    guard _isPending, let owner = object._$state.owner, object._$state._isAttached else { return [] }
    if owner.isClosed, let members = owner.members(of: object, at: property) {
      return members.compactMap { downcast($0, to: Destination.self) }
    }
    owner.noteUnreadable(object, at: property)
    return []
  }

  /// The members that the storage has.
  private var held: [Destination] { if case .loaded(let members) = members { members } else { [] } }

  /// Puts other members.
  public mutating func _assign(_ newValue: [Destination]?) { self = Self(newValue) }

  /// The storage before an assignment, resolved; of an attached object it is kept as the property's original.
  public func _prepared(for object: some PersistentModel, at property: Int) -> Self {
    guard object._$state._isAttached else { return self }
    return _prepareChange(of: object, at: property, original: _isPending ? _resolved(for: object, at: property) : self)
  }

  /// Tells the context, which keeps the other sides right; called on the storage as it was before.
  ///
  /// An object in no context enters that of its new members. Cost: a comparison of pointers for each member, and the context's work for those that came or went.
  public func _didChange(of object: some PersistentModel, at property: Int) {
    var taker = StorageTaker<Self>()
    object._$visit(property, &taker)
    let new = taker.storage?.held ?? []
    guard object._$state._isAttached else { return join(object, at: property, contextOf: new) }
    guard let owner = object._$state.owner else { return }
    // Which members are the same is known once aliases are replaced.
    guard owner.aliases.isEmpty else {
      return owner.relationshipDidChange(of: object, at: property, from: held, to: new)
    }
    let change = MemberDifference(from: held, to: new)
    if change.hasRepetitions { owner.removeRepetitions(of: object, at: property, new) }
    owner.relationshipDidChange(of: object, at: property, from: change.removed, to: change.added)
  }
}

extension _ToManyStorage: Sendable where Destination: Sendable {}
extension _ToManyStorage.Members: Sendable where Destination: Sendable {}

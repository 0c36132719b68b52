/// The storage of a to-many relationship's members in an object.
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

  /// A storage with members; for a detached object only, `nil` is kept apart from an empty list.
  public init(_ members: [Destination]?) { self.members = members.map { .loaded($0) } ?? .nothing }

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
    if case .loaded(let members) = members { return members }
    return loadedMembers(of: object, at: property)
  }

  /// The members; `nil` for a detached object whose relationship was not assigned.
  public func _value(for object: some PersistentModel, at property: Int) -> [Destination]? {
    if case .loaded(let members) = members { return members }
    return object._$state._isAttached ? loadedMembers(of: object, at: property) : nil
  }

  /// The members of an empty storage: read again for an object whose context is closed; none if they cannot be read.
  private func loadedMembers(of object: some PersistentModel, at property: Int) -> [Destination] {
    guard _isPending, let owner = object._$state.owner, object._$state._isAttached else { return [] }
    if owner.isClosed, let members = owner.members(of: object, at: property) {
      return members.compactMap { downcast($0, to: Destination.self) }
    }
    owner.noteUnreadable(object, at: property)
    return []
  }

  /// The members in the storage.
  private var held: [Destination] { if case .loaded(let members) = members { members } else { [] } }

  /// Replaces the members.
  public mutating func _assign(_ newValue: [Destination]?) { self = Self(newValue) }

  /// The resolved storage before an assignment; for an attached object, kept as the property's original value.
  public func _prepared(for object: some PersistentModel, at property: Int) -> Self {
    guard object._$state._isAttached else { return self }
    return _prepareChange(of: object, at: property, original: _isPending ? _resolved(for: object, at: property) : self)
  }

  /// Tells the context about the change, so that it updates the inverses; called on the storage before the assignment.
  ///
  /// A detached object enters the context of its new members. Cost: one pointer comparison per member, and the
  /// context's work for each added or removed member.
  public func _didChange(of object: some PersistentModel, at property: Int) {
    var taker = StorageTaker<Self>()
    object._$visit(property, &taker)
    let new = taker.storage?.held ?? []
    guard object._$state._isAttached else { return join(object, at: property, contextOf: new) }
    guard let owner = object._$state.owner else { return }
    // Aliases must be replaced before members can be compared.
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

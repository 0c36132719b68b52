internal import StoreRequests

/// The storage of a to-one relationship's destination in an object.
///
/// If both objects are in a context and have rows, it holds the destination's key and finds the object through the
/// context. So the objects do not keep each other alive. While either object is detached or unsaved, it holds the object
/// itself.
public struct _ToOneStorage<Destination: PersistentModel>: _PropertyStorage {
  var reference: ToOneReference

  /// A storage without value.
  public init() { reference = .pending }

  /// A storage with a destination.
  public init(_ destination: Destination?) {
    if let destination { reference = .object(HeldObject(destination)) } else { reference = .nothing }
  }

  /// The object in a reference; only a destination is ever stored there.
  static func destination(_ held: HeldObject) -> Destination { unsafeDowncast(held.object, to: Destination.self) }

  /// Whether nothing was assigned or loaded.
  public var _isPending: Bool { if case .pending = reference { true } else { false } }

  /// The storage as in the object's row; for a detached object, without destination. Stays empty if the row cannot be read.
  public func _resolved(for object: some PersistentModel, at property: Int) -> Self {
    if let recorder = object._$state.extras?.recorder {
      return Self(recorder.note(property, of: object).flatMap { downcast($0, to: Destination.self) })
    }
    guard object._$state.isUnread else { return Self(nil) }
    fulfill(object)
    var taker = StorageTaker<Self>()
    object._$visit(property, &taker)
    if let storage = taker.storage, !storage._isPending { return storage }
    return object._$state.isUnread ? Self() : Self(nil)
  }

  /// The destination.
  public func _value(for object: some PersistentModel, at property: Int) -> Destination? {
    switch reference {
    case .nothing: return nil
    case .pending:
      if object._$state.isUnread { object._$state.owner?.noteUnreadable(object, at: property) }
      return nil
    case .object(let held): return Self.destination(held)
    case .key(let key):
      guard let found = object._$state.owner?.object(for: key, of: object, at: property) else { return nil }
      return downcast(found, to: Destination.self)
    }
  }

  /// The destination; if a store lacks the required destination, an orphaned object without values.
  public func _value(for object: some PersistentModel, at property: Int) -> Destination {
    if let destination: Destination = _value(for: object, at: property) { return destination }
    return Materialization.makeBlank(Destination.self, in: _ModelPlace(status: .orphaned))
  }

  /// Replaces the destination.
  public mutating func _assign(_ newValue: Destination?) { self = Self(newValue) }

  /// The resolved storage before an assignment; for an attached object, kept as the property's original value.
  public func _prepared(for object: some PersistentModel, at property: Int) -> Self {
    guard object._$state._isAttached else { return self }
    var resolved = _isPending ? _resolved(for: object, at: property) : self
    // Loads the destination while the property leads to it. A partner that is read later would disagree with the change.
    while case .key(let key) = resolved.reference {
      let _: Destination? = resolved._value(for: object, at: property)
      // Loading may have shown that others saved another link.
      var taker = StorageTaker<Self>()
      object._$visit(property, &taker)
      if let storage = taker.storage, !storage._isPending { resolved = storage }
      guard object._$state._isAttached else { return resolved }
      guard case .key(let present) = resolved.reference, present != key else { break }
    }
    return _prepareChange(of: object, at: property, original: resolved)
  }

  /// Tells the context about the change, so that it updates the inverse; called on the storage before the assignment.
  ///
  /// A detached object enters the context of its new destination.
  public func _didChange(of object: some PersistentModel, at property: Int) {
    var taker = StorageTaker<Self>()
    object._$visit(property, &taker)
    guard object._$state._isAttached else {
      if case .object(let destination)? = taker.storage?.reference {
        join(object, at: property, contextOf: [Self.destination(destination)])
      }
      return
    }
    let old: Destination? = _isPending ? nil : _value(for: object, at: property)
    let new: Destination? = taker.storage?._value(for: object, at: property) ?? nil
    guard old !== new else { return }
    object._$state.owner?.relationshipDidChange(
      of: object, at: property, from: old.map { [$0] } ?? [], to: new.map { [$0] } ?? [])
  }
}

/// The only object that a storage may hold is a destination.
extension _ToOneStorage: @unchecked Sendable where Destination: Sendable {}

/// The destination of a to-one relationship.
///
/// It is not generic: otherwise reading a row would look up the metadata of a generic type.
enum ToOneReference {
  case pending
  case nothing
  case key(ObjectKey)
  case object(HeldObject)
}

/// The object as an instance of a class; a pointer comparison for exactly that class, otherwise a cast.
func downcast<Model: PersistentModel>(_ object: any PersistentModel, to type: Model.Type) -> Model? {
  if ObjectIdentifier(Swift.type(of: object)) == ObjectIdentifier(type) {
    return unsafeDowncast(object, to: type)
  }
  return object as? Model
}

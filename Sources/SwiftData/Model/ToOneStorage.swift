internal import CoreDataStore

/// Where an object keeps what a to-one relationship leads to.
///
/// Between objects of a context that have rows it is the destination's key, found again through the context, so that objects
/// never keep one another alive. It is the object itself while either side is detached or unsaved.
public struct _ToOneStorage<Destination: PersistentModel>: _PropertyStorage {
  var reference: ToOneReference

  /// A storage without value.
  public init() { reference = .pending }

  /// A storage that leads to an object.
  public init(_ destination: Destination?) {
    if let destination { reference = .object(destination) } else { reference = .nothing }
  }

  /// The object that a reference holds: nothing but a destination is ever put there.
  static func destination(_ object: AnyObject) -> Destination { unsafeDowncast(object, to: Destination.self) }

  /// Whether nothing was assigned or loaded.
  public var _isPending: Bool { if case .pending = reference { true } else { false } }

  /// The storage as the object's row has it; that of a detached object leads nowhere. As it is while the row cannot be read.
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

  /// The object it leads to.
  public func _value(for object: some PersistentModel, at property: Int) -> Destination? {
    switch reference {
    case .nothing: return nil
    case .pending:
      if object._$state.isUnread { object._$state.owner?.noteUnreadable(object, at: property) }
      return nil
    case .object(let object): return Self.destination(object)
    case .key(let key):
      guard let found = object._$state.owner?.object(for: key, of: object, at: property) else { return nil }
      return downcast(found, to: Destination.self)
    }
  }

  /// The object it leads to; where a store breaks the promise that there is one, an orphaned object without values.
  public func _value(for object: some PersistentModel, at property: Int) -> Destination {
    if let destination: Destination = _value(for: object, at: property) { return destination }
    return Materialization.makeBlank(Destination.self, in: _ModelPlace(status: .orphaned))
  }

  /// Leads to another object.
  public mutating func _assign(_ newValue: Destination?) { self = Self(newValue) }

  /// The storage before an assignment, resolved; of an attached object it is kept as the property's original.
  public func _prepared(for object: some PersistentModel, at property: Int) -> Self {
    guard object._$state._isAttached else { return self }
    return _prepareChange(of: object, at: property, original: _isPending ? _resolved(for: object, at: property) : self)
  }

  /// Tells the context, which keeps the other side right; called on the storage as it was before.
  ///
  /// An object in no context enters that of its new destination.
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

/// The object that a storage may hold is a destination.
extension _ToOneStorage: @unchecked Sendable where Destination: Sendable {}

/// What a to-one relationship leads to.
///
/// Not generic: reading a row would look up the metadata of a generic type for each.
enum ToOneReference {
  case pending
  case nothing
  case key(ObjectKey)
  case object(AnyObject)
}

/// The object as an instance of a class; a comparison where it is exactly of that class, a cast otherwise.
func downcast<Model: PersistentModel>(_ object: any PersistentModel, to type: Model.Type) -> Model? {
  if ObjectIdentifier(Swift.type(of: object)) == ObjectIdentifier(type) {
    return unsafeDowncast(object, to: type)
  }
  return object as? Model
}

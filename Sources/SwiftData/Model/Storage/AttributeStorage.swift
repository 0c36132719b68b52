/// Where an object keeps the value of an attribute.
public struct _AttributeStorage<Value>: _PropertyStorage {
  /// `nil` until a value is assigned or loaded; a stored `nil` of an optional attribute is `.some(nil)`.
  @usableFromInline var value: Value?

  /// A storage without value.
  @inlinable
  public init() { value = nil }

  /// A storage with a value.
  @inlinable
  public init(_ value: Value) { self.value = value }

  /// Whether no value was assigned or loaded.
  @inlinable
  public var _isPending: Bool { value == nil }

  /// The storage with the value that a getter returns: the row's value for a fault, otherwise the default or the type's
  /// zero.
  ///
  /// Stays empty if the row cannot be read.
  public func _resolved(for object: some PersistentModel, at property: Int) -> Self {
    if let recorder = object._$state.extras?.recorder {
      _ = recorder.note(property, of: object)
      return Self(recorder.value(Value.self) ?? defaultValue(Value.self, of: type(of: object), at: property))
    }
    fulfill(object)
    var taker = StorageTaker<Self>()
    object._$visit(property, &taker)
    if let storage = taker.storage, !storage._isPending { return storage }
    if object._$state.isUnread { return Self() }
    if object._$state._isAttached, object._$state.status != .inserted {
      // A value of another type was logged when the row was read.
      object._$state.owner?.reportMissingValue(of: object, at: property)
    }
    return Self(defaultValue(Value.self, of: type(of: object), at: property))
  }

  /// The value.
  @inlinable
  public func _value(for object: some PersistentModel, at property: Int) -> Value {
    if let value { return value }
    return _missingValue(for: object, at: property)
  }

  /// The value that a getter returns for an empty storage: the row's value, or the default.
  @usableFromInline
  func _missingValue(for object: some PersistentModel, at property: Int) -> Value {
    if let value = _resolved(for: object, at: property).value { return value }
    object._$state.owner?.noteUnreadable(object, at: property)
    return defaultValue(Value.self, of: type(of: object), at: property)
  }

  /// Replaces the value.
  @inlinable
  public mutating func _assign(_ newValue: Value) { value = newValue }

  /// Does nothing: an attribute's value is changed in a copy.
  @inlinable
  public func _begin(_ change: inout _InPlaceChange<Value>) {}

  /// Takes the value that a client has changed.
  @inlinable
  public mutating func _finish(_ change: inout _InPlaceChange<Value>) { value = change.value }

  /// The storage before an assignment; for an attached object, kept as the property's original value.
  @inlinable
  public func _prepared(for object: some PersistentModel, at property: Int) -> Self {
    guard object._$state._isAttached else { return self }
    return _prepareChange(of: object, at: property, original: _isPending ? _resolved(for: object, at: property) : self)
  }

  /// Does nothing: an attribute has no inverse.
  @inlinable
  public func _didChange(of object: some PersistentModel, at property: Int) {}
}

extension _AttributeStorage: Sendable where Value: Sendable {}

/// Loads the values of a fault; does nothing for other objects.
func fulfill(_ object: some PersistentModel) {
  if object._$state.isUnread { object._$state.owner?.fill(object) }
}

/// Prepares an attached object for a change of a property.
///
/// Fires a fault, keeps the original storage at the first change, marks the property as changed, and tells the context.
///
/// - Returns: the property's storage before the change.
public func _prepareChange<Storage: _PropertyStorage>(
  of object: some PersistentModel, at property: Int, original: Storage
) -> Storage {
  var original = original
  if let extras = object._$state.extras {
    extras.forgetUpdates(of: property)
    // The new value may be computed from the default that a getter of this object gave.
    if let unread = extras.unreadable.min(by: { $0.key < $1.key }) {
      extras.assignedUnread[property] = extras.assignedUnread[property] ?? unread.value
    }
  }
  object._$state.owner?.changeStream.send(.willChange(object, property: property))
  if object._$state.isUnread {
    fulfill(object)
    var taker = StorageTaker<Storage>()
    object._$visit(property, &taker)
    if let storage = taker.storage, !storage._isPending { original = storage }
  }
  guard object._$state._isAttached else { return original }
  if object._$state.markChanged(property) {
    object._$state.needExtras().originals[property] = original
    object._$state.owner?.willChange(object, at: property)
  } else if object._$state.takeIndexed(property) {
    object._$state.owner?.unit.lookup.noteChange(of: object, at: property, isFirst: false)
  }
  return original
}

/// Copies the storage of a property whose kind and type are known.
struct StorageTaker<Storage>: _PropertyVisitor {
  var storage: Storage?

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) { self.storage = storage as? Storage }
  mutating func visit<Destination>(_ storage: inout _ToOneStorage<Destination>) { self.storage = storage as? Storage }
  mutating func visit<Destination>(_ storage: inout _ToManyStorage<Destination>) { self.storage = storage as? Storage }
}

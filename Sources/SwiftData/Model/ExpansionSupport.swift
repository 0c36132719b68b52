internal import Foundation

// Storage of a property; the compiler picks the overload for its type. `for:` names the type. `like:` takes the type of
// an initial value without evaluating it. `initially:` evaluates the initial value, unless the object is made for a
// row.

/// Storage of an attribute.
@_disfavoredOverload
public func _storage<Value>(for type: Value.Type) -> _AttributeStorage<Value> { _AttributeStorage<Value>() }

/// Storage of an attribute of the type of a value.
@_disfavoredOverload
public func _storage<Value>(like value: @autoclosure () -> Value) -> _AttributeStorage<Value> {
  _AttributeStorage<Value>()
}

/// Storage of an attribute with an initial value.
@_disfavoredOverload
public func _storage<Value>(
  for type: Value.Type, initially value: @autoclosure () -> Value
) -> _AttributeStorage<Value> {
  Materialization.isActive ? _AttributeStorage<Value>() : _AttributeStorage<Value>(value())
}

/// Storage of an attribute with an initial value.
@_disfavoredOverload
public func _storage<Value>(
  initially value: @autoclosure () -> Value
) -> _AttributeStorage<Value> {
  Materialization.isActive ? _AttributeStorage<Value>() : _AttributeStorage<Value>(value())
}

/// Storage of a required to-one relationship.
public func _storage<Destination: PersistentModel>(for type: Destination.Type) -> _ToOneStorage<Destination> {
  _ToOneStorage<Destination>()
}

/// Storage of a required to-one relationship of the type of a value.
public func _storage<Destination: PersistentModel>(like value: @autoclosure () -> Destination) -> _ToOneStorage<
  Destination
> { _ToOneStorage<Destination>() }

/// Storage of a required to-one relationship with an initial value.
public func _storage<Destination: PersistentModel>(
  for type: Destination.Type, initially value: @autoclosure () -> Destination
) -> _ToOneStorage<Destination> {
  Materialization.isActive ? _ToOneStorage<Destination>() : _ToOneStorage<Destination>(value())
}

/// Storage of a required to-one relationship with an initial value.
public func _storage<Destination: PersistentModel>(
  initially value: @autoclosure () -> Destination
) -> _ToOneStorage<Destination> {
  Materialization.isActive ? _ToOneStorage<Destination>() : _ToOneStorage<Destination>(value())
}

/// Storage of a to-one relationship.
public func _storage<Destination: PersistentModel>(for type: Destination?.Type) -> _ToOneStorage<Destination> {
  _ToOneStorage<Destination>()
}

/// Storage of a to-one relationship of the type of a value.
public func _storage<Destination: PersistentModel>(like value: @autoclosure () -> Destination?) -> _ToOneStorage<
  Destination
> { _ToOneStorage<Destination>() }

/// Storage of a to-one relationship with an initial value.
public func _storage<Destination: PersistentModel>(
  for type: Destination?.Type, initially value: @autoclosure () -> Destination?
) -> _ToOneStorage<Destination> {
  Materialization.isActive ? _ToOneStorage<Destination>() : _ToOneStorage<Destination>(value())
}

/// Storage of a to-one relationship with an initial value.
public func _storage<Destination: PersistentModel>(
  initially value: @autoclosure () -> Destination?
) -> _ToOneStorage<Destination> {
  Materialization.isActive ? _ToOneStorage<Destination>() : _ToOneStorage<Destination>(value())
}

/// Storage of a to-many relationship.
public func _storage<Destination: PersistentModel>(for type: [Destination].Type) -> _ToManyStorage<Destination> {
  _ToManyStorage<Destination>()
}

/// Storage of a to-many relationship of the type of a value.
public func _storage<Destination: PersistentModel>(like value: @autoclosure () -> [Destination]) -> _ToManyStorage<
  Destination
> { _ToManyStorage<Destination>() }

/// Storage of a to-many relationship with an initial value.
public func _storage<Destination: PersistentModel>(
  for type: [Destination].Type, initially value: @autoclosure () -> [Destination]
) -> _ToManyStorage<Destination> {
  Materialization.isActive ? _ToManyStorage<Destination>() : _ToManyStorage<Destination>(value())
}

/// Storage of a to-many relationship with an initial value.
public func _storage<Destination: PersistentModel>(
  initially value: @autoclosure () -> [Destination]
) -> _ToManyStorage<Destination> {
  Materialization.isActive ? _ToManyStorage<Destination>() : _ToManyStorage<Destination>(value())
}

/// Storage of an optional to-many relationship.
public func _storage<Destination: PersistentModel>(for type: [Destination]?.Type) -> _ToManyStorage<Destination> {
  _ToManyStorage<Destination>()
}

/// Storage of an optional to-many relationship of the type of a value.
public func _storage<Destination: PersistentModel>(like value: @autoclosure () -> [Destination]?) -> _ToManyStorage<
  Destination
> { _ToManyStorage<Destination>() }

/// Storage of an optional to-many relationship with an initial value.
public func _storage<Destination: PersistentModel>(
  for type: [Destination]?.Type, initially value: @autoclosure () -> [Destination]?
) -> _ToManyStorage<Destination> {
  Materialization.isActive ? _ToManyStorage<Destination>() : _ToManyStorage<Destination>(value())
}

/// Storage of an optional to-many relationship with an initial value.
public func _storage<Destination: PersistentModel>(
  initially value: @autoclosure () -> [Destination]?
) -> _ToManyStorage<Destination> {
  Materialization.isActive ? _ToManyStorage<Destination>() : _ToManyStorage<Destination>(value())
}

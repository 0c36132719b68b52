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

// The same for Codable types, so that the compiler checks that no global actor isolates the conformance. An isolated one
// exists on that actor's threads only, but rows are read and written on any thread.

/// Storage of an attribute of a Codable type.
@_disfavoredOverload @inlinable
public func _storage<Value: Codable>(for type: Value.Type) -> _AttributeStorage<Value> { _AttributeStorage<Value>() }

/// Storage of an optional attribute of a Codable type.
@_disfavoredOverload @inlinable
public func _storage<Value: Codable>(for type: Value?.Type) -> _AttributeStorage<Value?> {
  _AttributeStorage<Value?>()
}

/// Storage of an attribute of the Codable type of a value.
@_disfavoredOverload @inlinable
public func _storage<Value: Codable>(like value: @autoclosure () -> Value) -> _AttributeStorage<Value> {
  _AttributeStorage<Value>()
}

/// Storage of an attribute of a Codable type with an initial value.
@_disfavoredOverload
public func _storage<Value: Codable>(
  for type: Value.Type, initially value: @autoclosure () -> Value
) -> _AttributeStorage<Value> {
  Materialization.isActive ? _AttributeStorage<Value>() : _AttributeStorage<Value>(value())
}

/// Storage of an attribute of a Codable type with an initial value.
@_disfavoredOverload
public func _storage<Value: Codable>(initially value: @autoclosure () -> Value) -> _AttributeStorage<Value> {
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

// The metadata of a class.

/// Calls the function of a class that describes its own properties.
///
/// A global actor may isolate the function. It is called from any thread nevertheless: it forms key paths, and touches no
/// state of the actor.
public func _metadata<Function>(from function: Function) -> [Schema.PropertyMetadata] {
  unsafeBitCast(function, to: (() -> [Schema.PropertyMetadata]).self)()
}

/// The metadata of a superclass. Generic, so that it does not warn where properties of the superclass are deprecated.
public func _inheritedMetadata<Model: PersistentModel>(of superclass: Model.Type) -> [Schema.PropertyMetadata] {
  superclass.schemaMetadata
}

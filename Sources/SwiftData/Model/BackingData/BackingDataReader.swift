/// Reads the values of backing data by property, when only the class's description tells their types.
struct BackingDataReader<Source: BackingData> {
  let source: Source

  init(_ source: Source) { self.source = source }

  /// The value of a property as `.some`, also if the value is `nil`; `.none` if the property was never assigned, so that
  /// its default holds.
  func value(of property: ModelClass.Property) -> Any? {
    if let stored = source as? StoredBackingData<Source.Model>, stored.object == nil {
      guard let storage = stored.box(property.index)?.storage, !storage._isPending else { return nil }
      return ownValue(property.valueType, of: Materialization.makeBlank(Source.Model.self), storage, property.index)
    }
    if let stored = source as? StoredBackingData<Source.Model>, let object = stored.object {
      return ownValue(property.valueType, of: object, property.index)
    }
    if let view = source as? ObjectBackingData<Source.Model> {
      return ownValue(property.valueType, of: view.object, property.index)
    }
    if let relationship = property.relationshipType { return value(of: property, relationship) }
    let isTransformable = property.attribute?.options.contains { $0.isOpaque && $0 != .codable } ?? false
    if !isTransformable, let type = property.valueType as? any Decodable.Type { return codedValue(type, property) }
    return transformableValue(property.valueType, property)
  }

  private func ownValue<Value>(_ type: Value.Type, of object: Source.Model, _ property: Int) -> Any? {
    object.value(type, at: property)
  }

  private func ownValue<Value>(
    _ type: Value.Type, of object: Source.Model, _ storage: some ValueStorage, _ property: Int
  ) -> Any? { storage.value(type, for: object, at: property) }

  private func codedValue<Value: Decodable>(_ type: Value.Type, _ property: ModelClass.Property) -> Any? {
    keyPath(of: property, to: type).map { source.getValue(forKey: $0) }
  }

  private func transformableValue<Value>(_ type: Value.Type, _ property: ModelClass.Property) -> Any? {
    keyPath(of: property, to: type).map { source.getTransformableValue(forKey: $0) }
  }

  private func value(of property: ModelClass.Property, _ relationship: RelationshipType) -> Any? {
    func required<Value: PersistentModel>(_ type: Value.Type) -> Any? {
      keyPath(of: property, to: type).map { source.getValue(forKey: $0) }
    }
    func optional<Value: PersistentModel>(_ type: Value.Type) -> Any? {
      keyPath(of: property, to: Value?.self).map { source.getValue(forKey: $0) as Value? as Any }
    }
    func members<Value: RelationshipCollection>(_ type: Value.Type) -> Any? {
      keyPath(of: property, to: type).map { source.getValue(forKey: $0) }
    }
    guard relationship.isToMany else {
      return relationship.isOptional ? optional(relationship.destination) : required(relationship.destination)
    }
    return (property.valueType as? any RelationshipCollection.Type).flatMap { members($0) }
  }

  /// The property's key path as one of the object's own class; the key path of an inherited property is of the superclass.
  private func keyPath<Value>(of property: ModelClass.Property, to type: Value.Type) -> KeyPath<Source.Model, Value>? {
    func inherited<Base: PersistentModel>(_ base: Base.Type) -> KeyPath<Source.Model, Value>? {
      (property.keyPath as? KeyPath<Base, Value>).map { \Source.Model[inherited: $0] }
    }
    if let own = property.keyPath as? KeyPath<Source.Model, Value> { return own }
    return (Swift.type(of: property.keyPath).rootType as? any PersistentModel.Type).flatMap { inherited($0) }
  }
}

extension PersistentModel {
  /// Takes the values of backing data, property by property.
  func takeValues(of data: some BackingData<Self>) {
    let reader = BackingDataReader(data)
    for property in ModelClass.of(type(of: self)).properties {
      if let value = reader.value(of: property) { assign(value, at: property.index, notifying: nil) }
    }
  }

  /// The value of a property of a superclass.
  fileprivate subscript<Base: PersistentModel, Value>(inherited keyPath: KeyPath<Base, Value>) -> Value {
    guard let object = self as? Base else {
      preconditionFailure("SwiftData: \(type(of: self)) is no subclass of \(Base.self).")
    }
    return object[keyPath: keyPath]
  }
}

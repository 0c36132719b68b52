/// Copies the values of backing data into an object, property by property.
struct BackingDataTransfer<Model: PersistentModel> {
  let source: any BackingData<Model>
  let object: Model

  func run() {
    for property in ModelClass.of(type(of: object)).properties { copy(property) }
  }

  private func copy(_ property: ModelClass.Property) {
    // Values that nobody assigned stay unassigned, so that their defaults hold.
    if let stored = source as? StoredBackingData<Model>, stored.object == nil {
      if let storage = stored.box(property.index)?.storage, !storage._isPending {
        object.put(storage, at: property.index)
      }
    } else if let view = source as? ObjectBackingData<Model> {
      assign(property.valueType, from: view.object, at: property.index)
    } else if let relationship = property.relationshipType {
      copy(relationship, property)
    } else if property.attribute?.options.contains(where: { $0.isOpaque && $0 != .codable }) ?? false {
      copyTransformable(property.valueType, property)
    } else if let type = property.valueType as? any Decodable.Type {
      copyAttribute(type, property)
    } else {
      copyTransformable(property.valueType, property)
    }
  }

  private func assign<Value>(_ type: Value.Type, from other: Model, at property: Int) {
    if let value = other.value(type, at: property) { object.assign(value, at: property, notifying: nil) }
  }

  private func copyAttribute<Value: Decodable>(_ type: Value.Type, _ property: ModelClass.Property) {
    guard let keyPath = keyPath(of: property, to: type) else { return }
    object.assign(source.getValue(forKey: keyPath), at: property.index, notifying: nil)
  }

  private func copyTransformable<Value>(_ type: Value.Type, _ property: ModelClass.Property) {
    guard let keyPath = keyPath(of: property, to: type) else { return }
    object.assign(source.getTransformableValue(forKey: keyPath), at: property.index, notifying: nil)
  }

  private func copy(_ relationship: RelationshipType, _ property: ModelClass.Property) {
    func toOne<Value: PersistentModel>(_ type: Value.Type) {
      if relationship.isOptional {
        guard let keyPath = keyPath(of: property, to: Value?.self) else { return }
        object.assign(source.getValue(forKey: keyPath), at: property.index, notifying: nil)
      } else if let keyPath = keyPath(of: property, to: type) {
        object.assign(source.getValue(forKey: keyPath), at: property.index, notifying: nil)
      }
    }
    func toMany<Value: RelationshipCollection>(_ type: Value.Type) {
      guard let keyPath = keyPath(of: property, to: type) else { return }
      object.assign(source.getValue(forKey: keyPath), at: property.index, notifying: nil)
    }
    if !relationship.isToMany { return toOne(relationship.destination) }
    if let type = property.valueType as? any RelationshipCollection.Type { toMany(type) }
  }

  /// The property's key path as one of the object's own class; the key path of an inherited property is of the superclass.
  private func keyPath<Value>(of property: ModelClass.Property, to type: Value.Type) -> KeyPath<Model, Value>? {
    func inherited<Base: PersistentModel>(_ base: Base.Type) -> KeyPath<Model, Value>? {
      (property.keyPath as? KeyPath<Base, Value>).map { \Model[inherited: $0] }
    }
    if let own = property.keyPath as? KeyPath<Model, Value> { return own }
    return (Swift.type(of: property.keyPath).rootType as? any PersistentModel.Type).flatMap { inherited($0) }
  }
}

extension PersistentModel {
  /// The value of a property of a superclass.
  fileprivate subscript<Base: PersistentModel, Value>(inherited keyPath: KeyPath<Base, Value>) -> Value {
    guard let object = self as? Base else {
      preconditionFailure("SwiftData: \(type(of: self)) is no subclass of \(Base.self).")
    }
    return object[keyPath: keyPath]
  }
}

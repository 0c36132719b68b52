// Values by key path. The expansion of Apple's macro calls these functions, so the overloads are Apple's.
extension PersistentModel {
  /// The value of an attribute. Apple: `PersistentModel.getValue(forKey:)`.
  @_disfavoredOverload
  public func getValue<Value: Decodable>(forKey keyPath: KeyPath<Self, Value>) -> Value {
    _$foreignBackingData?.getValue(forKey: keyPath) ?? ownValue(forKey: keyPath)
  }

  /// The destination of a required to-one relationship. Apple: `PersistentModel.getValue(forKey:)`.
  public func getValue<Value: PersistentModel>(forKey keyPath: KeyPath<Self, Value>) -> Value {
    _$foreignBackingData?.getValue(forKey: keyPath) ?? ownValue(forKey: keyPath)
  }

  /// The destination of a to-one relationship. Apple: `PersistentModel.getValue(forKey:)`.
  public func getValue<Value: PersistentModel>(forKey keyPath: KeyPath<Self, Value?>) -> Value? {
    guard let foreign = _$foreignBackingData else { return ownValue(forKey: keyPath) }
    return foreign.getValue(forKey: keyPath)
  }

  /// The members of a to-many relationship. Apple: `PersistentModel.getValue(forKey:)`.
  public func getValue<Value: RelationshipCollection, OtherModel>(forKey keyPath: KeyPath<Self, Value>) -> Value
  where OtherModel == Value.PersistentElement {
    _$foreignBackingData?.getValue(forKey: keyPath) ?? ownValue(forKey: keyPath)
  }

  /// The members of a to-many relationship of a decodable collection. Apple: `PersistentModel.getValue(forKey:)`.
  public func getValue<Value: Decodable & RelationshipCollection, OtherModel>(
    forKey keyPath: KeyPath<Self, Value>
  ) -> Value where OtherModel == Value.PersistentElement {
    _$foreignBackingData?.getValue(forKey: keyPath) ?? ownValue(forKey: keyPath)
  }

  /// The value of a transformable attribute. Apple: `PersistentModel.getTransformableValue(forKey:)`.
  public func getTransformableValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value {
    _$foreignBackingData?.getTransformableValue(forKey: keyPath) ?? ownValue(forKey: keyPath)
  }

  /// Replaces the value of an attribute. Apple: `PersistentModel.setValue(forKey:to:)`.
  @_disfavoredOverload
  public func setValue<Value: Encodable>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
    if let foreign = _$foreignBackingData { return foreign.setValue(forKey: keyPath, to: newValue) }
    setOwnValue(newValue, forKey: keyPath)
  }

  /// Replaces the destination of a required to-one relationship. Apple: `PersistentModel.setValue(forKey:to:)`.
  public func setValue<Value: PersistentModel>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
    if let foreign = _$foreignBackingData { return foreign.setValue(forKey: keyPath, to: newValue) }
    setOwnValue(newValue, forKey: keyPath)
  }

  /// Replaces the destination of a to-one relationship. Apple: `PersistentModel.setValue(forKey:to:)`.
  public func setValue<Value: PersistentModel>(forKey keyPath: KeyPath<Self, Value?>, to newValue: Value?) {
    if let foreign = _$foreignBackingData { return foreign.setValue(forKey: keyPath, to: newValue) }
    setOwnValue(newValue, forKey: keyPath)
  }

  /// Replaces the members of a to-many relationship. Apple: `PersistentModel.setValue(forKey:to:)`.
  public func setValue<Value: RelationshipCollection, OtherModel>(
    forKey keyPath: KeyPath<Self, Value>, to newValue: Value
  ) where OtherModel == Value.PersistentElement {
    if let foreign = _$foreignBackingData { return foreign.setValue(forKey: keyPath, to: newValue) }
    setOwnValue(newValue, forKey: keyPath)
  }

  /// Replaces the members of a to-many relationship of an encodable collection. Apple: `PersistentModel.setValue(forKey:to:)`.
  public func setValue<Value: Encodable & RelationshipCollection, OtherModel>(
    forKey keyPath: KeyPath<Self, Value>, to newValue: Value
  ) where OtherModel == Value.PersistentElement {
    if let foreign = _$foreignBackingData { return foreign.setValue(forKey: keyPath, to: newValue) }
    setOwnValue(newValue, forKey: keyPath)
  }

  /// Replaces the value of a transformable attribute. Apple: `PersistentModel.setTransformableValue(forKey:to:)`.
  public func setTransformableValue<Value>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
    if let foreign = _$foreignBackingData { return foreign.setTransformableValue(forKey: keyPath, to: newValue) }
    setOwnValue(newValue, forKey: keyPath)
  }

  /// The value in the object's own storage. The read is tracked, because the framework reports reloaded values only to
  /// its own registrar.
  func ownValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value {
    if _isTrackingReads() { _trackRead(of: self, keyPath) }
    guard let value = value(Value.self, at: propertyIndex(of: keyPath)) else {
      preconditionFailure("SwiftData: the value of \(keyPath) of \(type(of: self)) is not of type \(Value.self).")
    }
    return value
  }

  func setOwnValue<Value>(_ newValue: Value, forKey keyPath: KeyPath<Self, Value>) {
    let isAssigned = assign(newValue, at: propertyIndex(of: keyPath), notifying: keyPath)
    precondition(
      isAssigned, "SwiftData: \(keyPath) of \(type(of: self)) does not take a value of type \(Value.self).")
  }

  /// The index of a persisted property. A key path that names no persisted property ends the program, because the
  /// functions above cannot throw.
  private func propertyIndex(of keyPath: PartialKeyPath<Self>) -> Int {
    let model = ModelClass.of(type(of: self))
    guard let property = model.property(for: keyPath) else {
      preconditionFailure(
        "SwiftData: \(keyPath) is no persisted property of \(model.className): name one of its schemaMetadata.")
    }
    return property.index
  }
}

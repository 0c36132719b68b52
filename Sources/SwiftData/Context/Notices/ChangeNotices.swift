internal import Observation

/// Notifies observers of a change that is not an assignment: of an inverse, by a rollback, or by a newer row.
func notifying(_ object: any PersistentModel, at property: Int, _ change: (any PersistentModel) -> Void) {
  notifying(object, [property], change)
}

/// Notifies observers, and listeners of the context's changes, that any property may have changed.
func notifyingAll(_ object: any PersistentModel, _ change: (any PersistentModel) -> Void) {
  object._$state.owner?.changeStream.send(.willRefresh(object))
  guard object._$state._isObserved else { return change(object) }
  notifying(object, ModelClass.of(type(of: object)).properties.map(\.index), change)
}

private func notifying(_ object: any PersistentModel, _ properties: [Int], _ change: (any PersistentModel) -> Void) {
  guard object._$state._isObserved, let registrar = object._$state._registrar else { return change(object) }
  let model = ModelClass.of(type(of: object))
  let keyPaths = properties.compactMap { model.property(at: $0)?.keyPath }
  for keyPath in keyPaths { Notice(registrar: registrar, object: object, keyPath: keyPath).send(isBefore: true) }
  change(object)
  for keyPath in keyPaths { Notice(registrar: registrar, object: object, keyPath: keyPath).send(isBefore: false) }
}

/// One change of one property, with the key path written for the class that declares the property.
private struct Notice {
  let registrar: ObservationRegistrar
  let object: any PersistentModel
  let keyPath: AnyKeyPath

  func send(isBefore: Bool) {
    guard let root = type(of: keyPath).rootType as? any PersistentModel.Type else { return }
    openRoot(root, isBefore)
  }

  private func openRoot<Root: PersistentModel>(_ root: Root.Type, _ isBefore: Bool) {
    func openValue<Value>(_ value: Value.Type) {
      guard let object = object as? Root, let keyPath = keyPath as? KeyPath<Root, Value> else { return }
      if isBefore {
        registrar.willSet(object, keyPath: keyPath)
      } else {
        registrar.didSet(object, keyPath: keyPath)
      }
    }
    _openExistential(type(of: keyPath).valueType, do: openValue)
  }
}

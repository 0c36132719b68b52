internal import StoreRequests

extension ContextCore {
  func model(for identifier: PersistentIdentifier) -> any PersistentModel {
    if let known = registeredModel(for: identifier) { return known }
    if let row = container.row(of: identifier), let binding = binding(row.tag) {
      return makeFault(row.key, row.tag, binding)
    }
    return placeholder(for: identifier)
  }

  func registeredModel(for identifier: PersistentIdentifier) -> (any PersistentModel)? {
    if let known = registered(identifier) { return known }
    guard case .temporary(let identity) = identifier.representation else { return nil }
    return inserted(identity)
  }

  /// The unsaved object with an identity. Cost: a search only if the list of the insertions has moved since.
  private func inserted(_ identity: TemporaryIdentity) -> (any PersistentModel)? {
    if let object = unit.inserted.object(at: identity.place), object._$state.extras?.temporaryIdentity === identity {
      return object
    }
    var found: (any PersistentModel)?
    for object in unit.inserted {
      guard let other = object._$state.extras?.temporaryIdentity else { continue }
      other.place = Int(object._$state.place)
      if other === identity { found = object }
    }
    return found
  }

  /// An object without a row and a context; its getters return defaults.
  private func placeholder(for identifier: PersistentIdentifier) -> any PersistentModel {
    for store in container.stores {
      if let binding = store.ownBindings.first(where: { $0.name == identifier.entityName }) {
        return binding.makeBlank(in: _ModelPlace(status: .orphaned))
      }
    }
    return UnknownModel(identifier)
  }
}

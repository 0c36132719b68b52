/// The persisted properties along a key path, recognised by the identities of its components.
struct PathSteps {
  private(set) var properties: [ModelClass.Property] = []
  /// Whether the path ends in the identifier of the object that the properties lead to.
  private(set) var endsInIdentifier = false
  /// Whether a component is a requirement of a protocol. The properties are then incomplete.
  private(set) var hasRequirement = false
  /// The components after the last model: members of a property's value.
  private(set) var rest: [KeyPathComponent] = []

  /// - Returns: `nil` for a path with a getter of the program, other than a requirement of a protocol.
  init?(_ components: [(component: KeyPathComponent, type: Any.Type)], from model: ModelClass) {
    var owner: ModelClass? = model
    var valueType: Any.Type = model.type
    for (component, type) in components {
      switch (component, owner) {
      case (.optional, _): continue
      // A sample value may lack a member, and then `!` would end the program.
      case (.forced, _) where !rest.isEmpty: return nil
      case (.forced, _): continue
      case (.computed(let accessor), let model?):
        guard note(accessor, of: model) else { return nil }
        valueType = unwrapped(type)
        owner = (valueType as? any PersistentModel.Type).map { ModelClass.of($0) }
      case (.stored, _?): return nil
      case (.stored, nil): rest.append(component)
      case (.computed(let accessor), nil):
        guard accessor.mayBeRawValue(of: valueType) else { return nil }
        rest.append(component)
      }
    }
    let areMembers = rest.allSatisfy { $0 == .stored }
    if !areMembers, rest.count > 1 { return nil }
    if endsInIdentifier, !rest.isEmpty { return nil }
  }

  /// Notes a property of an object; returns whether the accessor is known.
  private mutating func note(_ accessor: KeyPathComponent.Accessor, of model: ModelClass) -> Bool {
    if let property = model.property(read: accessor) {
      properties.append(property)
    } else if KeyPathComponent.Accessor.identifiers(of: model.type).contains(accessor) {
      endsInIdentifier = true
    } else if accessor.isRequirement || accessor == KeyPathComponent.Accessor.identity {
      hasRequirement = true
    } else {
      return false
    }
    return true
  }

  private func unwrapped(_ type: Any.Type) -> Any.Type { (type as? any OptionalType.Type)?.wrappedType ?? type }
}

extension KeyPathComponent.Accessor {
  /// The getters of a model's persistent identifier.
  static func identifiers(of type: any PersistentModel.Type) -> [Self] {
    func keyPaths<Model: PersistentModel>(_ type: Model.Type) -> [KeyPath<Model, PersistentIdentifier>] {
      [\.persistentModelID, \.id]
    }
    func accessors<Model: PersistentModel>(_ type: Model.Type) -> [Self] {
      keyPaths(type).compactMap { Self(of: $0) }
    }
    return accessors(type)
  }

  /// `Identifiable.id`, which a class may fulfil with a property of its own.
  static let identity: Self? = {
    func keyPath<Value: Identifiable>(_ type: Value.Type) -> AnyKeyPath { \Value.id }
    return Self(of: keyPath(PersistentIdentifier.self))
  }()

  /// The getter of a key path of one component.
  init?(of keyPath: AnyKeyPath) {
    guard let components = KeyPathComponent.all(of: keyPath), components.count == 1,
      case .computed(let accessor) = components[0].component
    else { return nil }
    self = accessor
  }
}

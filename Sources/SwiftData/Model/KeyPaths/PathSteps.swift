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
}

extension KeyPathComponent.Accessor {
  /// The getters of a model's persistent identifier.
  static func identifiers<Model: PersistentModel>(of type: Model.Type) -> [Self] {
    let keyPaths: [KeyPath<Model, PersistentIdentifier>] = [\.persistentModelID, \.id]
    return keyPaths.compactMap { Self(of: $0) }
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

extension KeyPathComponent.Accessor {
  /// `RawRepresentable.rawValue`, as generic code writes it.
  private static let rawValue: Self? = {
    func keyPath<Value: RawRepresentable>(_ type: Value.Type) -> AnyKeyPath { \Value.rawValue }
    return Self(of: keyPath(FloatingPointSign.self))
  }()

  /// Whether this may be the raw value of a type, and can be read of each of its values.
  ///
  /// The identity does not tell the raw value of an enumeration from its other getters. All of them can be read, since each
  /// case is a value that a row may have. A getter of a structure may fail on values that no row has.
  func mayBeRawValue(of type: Any.Type) -> Bool {
    guard let type = type as? any RawRepresentable.Type else { return false }
    func isEnumeration<Value: RawRepresentable>(_ type: Value.Type) -> Bool {
      rawValueSamples(of: type).first.map { Mirror(reflecting: $0).displayStyle == .enum } ?? false
    }
    return self == Self.rawValue || isEnumeration(type)
  }
}

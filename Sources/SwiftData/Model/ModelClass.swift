internal import Synchronization

/// The description of a model class: its entity's name, its properties by index, name and key path. Made once per class.
final class ModelClass: @unchecked Sendable {
  let type: any PersistentModel.Type
  let options: _EntityOptions
  let entityName: String
  let superclass: ModelClass?
  /// All persisted properties, inherited ones first, in the order of their indexes.
  let properties: [Property]
  /// The properties that the class itself declares.
  let ownProperties: [Property]
  /// `#Unique` and `#Index` declarations of the class itself.
  let ownConstraints: [any SchemaProperty]
  /// Fetched properties of the class itself, by their Swift names.
  let ownFetchedProperties: [(name: String, property: Schema.FetchedProperty)]
  /// Properties by index; `nil` for an index that belongs to an inactive branch of an `#if`.
  private let byIndex: [Property?]
  private let byKeyPath: [AnyKeyPath: Property]
  private let byAccessor: [KeyPathComponent.Accessor: Property]
  private let byName: [String: Property]
  let paths = PathCache()

  /// The class's name for messages.
  var className: String { String(describing: type) }

  private static let cache = Mutex<[ObjectIdentifier: ModelClass]>([:])

  /// The description of a class; after the first call, a look-up under a lock.
  static func of(_ type: any PersistentModel.Type) -> ModelClass {
    let key = ObjectIdentifier(type)
    if let known = cache.withLock({ $0[key] }) { return known }
    let made = ModelClass(type)
    return cache.withLock { cache in
      if let known = cache[key] { return known }
      cache[key] = made
      return made
    }
  }

  private init(_ type: any PersistentModel.Type) {
    self.type = type
    let options = type._$entity
    self.options = options
    entityName = _EntityOptions.entityName(of: type)
    let superclass = options.superclass.map { ModelClass.of($0) }
    self.superclass = superclass
    let inherited = superclass?.metadataCount ?? 0
    let metadata = type.schemaMetadata
    metadataCount = metadata.count
    var own: [Property] = []
    for entry in metadata.dropFirst(inherited) {
      guard let keyPath = entry.keyPath else { continue }
      let index = entry.index ?? ((superclass?.indexCount ?? 0) + own.count)
      own.append(Property(entry, keyPath: keyPath, index: index))
    }
    ownConstraints = metadata.dropFirst(inherited).filter { $0.keyPath == nil }.compactMap(\.metadata)
    ownFetchedProperties = metadata.dropFirst(inherited).compactMap { entry in
      entry.fetched.map { (entry.name, $0) }
    }
    ownProperties = own
    properties = (superclass?.properties ?? []) + own
    var byIndex = [Property?](repeating: nil, count: (properties.map(\.index).max() ?? -1) + 1)
    for property in properties { byIndex[property.index] = property }
    self.byIndex = byIndex
    byKeyPath = Dictionary(properties.map { ($0.keyPath, $0) }) { first, _ in first }
    byAccessor = Dictionary(
      properties.compactMap { property in KeyPathComponent.Accessor(of: property.keyPath).map { ($0, property) } }
    ) { first, _ in first }
    byName = Dictionary(properties.map { ($0.name, $0) }) { first, _ in first }
  }

  private let metadataCount: Int
  private var indexCount: Int { byIndex.count }

  func property(at index: Int) -> Property? { byIndex.indices.contains(index) ? byIndex[index] : nil }

  /// The property with this Swift name.
  func property(named name: String) -> Property? { byName[name] }

  /// The property with this stored name; if there is none, the property with this Swift name.
  func property(stored name: String) -> Property? {
    properties.first { $0.persistentName == name } ?? byName[name]
  }

  /// The property with this key path, as written for its own class.
  func byKeyPathProperty(_ keyPath: AnyKeyPath) -> Property? { byKeyPath[keyPath] }

  /// The property that a component of a key path reads, also if the key path is written for a subclass.
  func property(read accessor: KeyPathComponent.Accessor) -> Property? { byAccessor[accessor] }

  /// The property at a key path of one component, even if the key path is written for a subclass or a protocol.
  func property(for keyPath: AnyKeyPath) -> Property? {
    if let property = byKeyPath[keyPath] { return property }
    guard let path = try? path(of: keyPath), path.properties.count == 1, path.end == .property else { return nil }
    return path.properties.first
  }

  /// The stored name of the property at a key path.
  ///
  /// - Throws: ``SwiftDataError/unsupportedKeyPath``.
  func persistentName(of keyPath: AnyKeyPath) throws -> String {
    if let property = property(for: keyPath) { return property.persistentName }
    throw SwiftDataError(
      .unsupportedKeyPath,
      "The key path \(keyPath) leads to no persisted property of \(className): name one of its own.")
  }

  /// The stored path of a key path's value: a property, or an element of a composite.
  ///
  /// - Throws: ``SwiftDataError/unsupportedKeyPath``.
  func storedPath(of keyPath: AnyKeyPath) throws -> String {
    if let path = try? path(of: keyPath), path.properties.count == 1, case .element(let element) = path.end {
      return ([path.properties[0].persistentName] + element).joined(separator: ".")
    }
    return try persistentName(of: keyPath)
  }

  /// The fetched property with this Swift name, including inherited fetched properties.
  func fetchedProperty(named name: String) -> Schema.FetchedProperty? {
    ownFetchedProperties.first { $0.name == name }?.property ?? superclass?.fetchedProperty(named: name)
  }

  /// Whether the class is the given class or a subclass of it.
  func isKind(of type: any PersistentModel.Type) -> Bool {
    self.type == type || (superclass?.isKind(of: type) ?? false)
  }

  /// The class that declares a property of this class: this class or a superclass.
  func declaringClass(of property: Property) -> ModelClass {
    if let superclass, superclass.property(at: property.index) != nil {
      return superclass.declaringClass(of: property)
    }
    return self
  }

  /// A persisted property of a class.
  struct Property {
    let index: Int
    /// The name in Swift.
    let name: String
    let keyPath: AnyKeyPath
    let valueType: any Any.Type
    let attribute: Schema.Attribute?
    let relationship: Schema.Relationship?
    /// `nil` for attributes.
    let relationshipType: RelationshipType?
    /// Evaluates the initial value at each call; returns `nil` if there is none.
    let defaultValue: () -> Any?

    init(_ metadata: Schema.PropertyMetadata, keyPath: AnyKeyPath, index: Int) {
      self.index = index
      self.name = metadata.name
      self.keyPath = keyPath
      valueType = Swift.type(of: keyPath).valueType
      attribute = metadata.metadata as? Schema.Attribute
      relationship = metadata.metadata as? Schema.Relationship
      relationshipType = RelationshipType(valueType)
      defaultValue = metadata.defaultValue
    }

    /// The property's stored name.
    var persistentName: String {
      let stated = attribute?.name ?? relationship?.name ?? ""
      return stated.isEmpty ? name : stated
    }

    /// The stored name in the previous version of the model.
    var originalName: String {
      let stated = attribute?.originalName ?? relationship?.originalName ?? ""
      return stated.isEmpty ? persistentName : stated
    }

    var isToMany: Bool { relationshipType?.isToMany ?? false }
    var isToOne: Bool { relationshipType.map { !$0.isToMany } ?? false }
    var isTransient: Bool {
      attribute?.options.contains(where: \.hasNoColumn) ?? relationship?.isTransient ?? false
    }
    var isDerived: Bool { attribute?.options.contains { $0.derivation != nil } ?? false }
  }
}

/// The value of an attribute that has no stored value: its declared default, `nil`, or its type's zero.
///
/// Traps if there is none. A container opens only if every attribute of its classes has such a value. So this traps
/// only in an initializer, or for an object that never was in a context, if a property is read before it is assigned.
func defaultValue<Value>(_ type: Value.Type, of model: any PersistentModel.Type, at index: Int) -> Value {
  let property = ModelClass.of(model).property(at: index)
  if let value = property?.defaultValue() as? Value { return value }
  if let zero = zero(type) { return zero }
  preconditionFailure(
    """
    SwiftData: \(ModelClass.of(model).className).\(property?.name ?? "?") was read before it had a value, and a value of \
    type \(type) cannot be made up: assign it in the initializer, or give it a default value.
    """)
}

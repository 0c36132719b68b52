extension Schema.Entity {
  /// The properties of all superentities, the root's first.
  ///
  /// An entity with a superentity always has the latter's properties: assigning others is without effect until it has none.
  /// Assigned properties are not stored.
  public var inheritedProperties: [any SchemaProperty] {
    get { superentity?.properties ?? assignedInheritance }
    set { assignedInheritance = newValue }
  }

  /// The inherited properties by name; assigning them assigns ``inheritedProperties``, sorted by name.
  public var inheritedPropertiesByName: [String: any SchemaProperty] {
    get { Dictionary(inheritedProperties.map { ($0.name, $0) }) { _, last in last } }
    set { inheritedProperties = newValue.values.sorted { $0.name < $1.name } }
  }

  /// All properties, inherited ones first.
  public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }

  /// All attributes; assigning them replaces the entity's own attributes.
  ///
  /// An own attribute that stays keeps its place, new ones follow by name. An attribute with the name of an inherited
  /// property stays inherited.
  public var attributes: Set<Schema.Attribute> {
    get { Set(properties.compactMap { $0 as? Schema.Attribute }) }
    set { replace(Schema.Attribute.self, with: newValue) }
  }

  /// All relationships; assigning them replaces the entity's own relationships, as for ``attributes``.
  public var relationships: Set<Schema.Relationship> {
    get { Set(properties.compactMap { $0 as? Schema.Relationship }) }
    set { replace(Schema.Relationship.self, with: newValue) }
  }

  /// All attributes by name; assigning them assigns ``attributes``. The keys are not used then.
  public var attributesByName: [String: Schema.Attribute] {
    get { byName() }
    set { attributes = Set(newValue.values) }
  }

  /// All relationships by name; assigning them assigns ``relationships``. The keys are not used then.
  public var relationshipsByName: [String: Schema.Relationship] {
    get { byName() }
    set { relationships = Set(newValue.values) }
  }

  /// Its own properties by name; assigning them replaces ``storedProperties``. The keys are not used then.
  ///
  /// A property that stays keeps its place, new ones follow by name.
  public var storedPropertiesByName: [String: any SchemaProperty] {
    get { Dictionary(storedProperties.map { ($0.name, $0) }) { _, last in last } }
    set {
      let places = Dictionary(storedProperties.enumerated().map { ($1.name, $0) }) { first, _ in first }
      let last = storedProperties.count
      storedProperties = newValue.values.sorted {
        (places[$0.name] ?? last, $0.name) < (places[$1.name] ?? last, $1.name)
      }
    }
  }

  private func byName<Property: SchemaProperty>() -> [String: Property] {
    Dictionary(properties.compactMap { $0 as? Property }.map { ($0.name, $0) }) { _, last in last }
  }

  /// Replaces the own properties of one kind.
  private func replace<Property: SchemaProperty>(_ kind: Property.Type, with new: Set<Property>) {
    let inherited = Set(inheritedProperties.map(\.name))
    var own = Dictionary(new.filter { !inherited.contains($0.name) }.map { ($0.name, $0) }) { first, _ in first }
    let kept = storedProperties.compactMap { property -> (any SchemaProperty)? in
      property is Property ? own.removeValue(forKey: property.name) : property
    }
    storedProperties = kept + own.values.sorted { $0.name < $1.name }
  }
}

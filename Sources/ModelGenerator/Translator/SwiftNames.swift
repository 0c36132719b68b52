import ManagedModel

/// Chooses the Swift spelling of every name in a model. No other type does.
///
/// Persistent names never change. The spelling differs from the persistent name if the name is not a Swift identifier,
/// hides a common type, is a member of every model class, or is already taken. The declaration then also states the
/// persistent name. Equal models get equal spellings.
struct SwiftNames: Sendable {
  private var typeByEntity: [String: String] = [:]
  private var typeByComposite: [CompositeDescription: String] = [:]
  private var elementsByComposite: [CompositeDescription: [String]] = [:]
  private var typeByEnumeration: [EnumerationDescription: String] = [:]
  private var propertiesByEntity: [String: [String: String]] = [:]
  /// Composite types in the order of their first use; composites that the model declares come first.
  private(set) var composites: [CompositeDescription] = []
  /// Enumerations in the order of their first use.
  private(set) var enumerations: [EnumerationDescription] = []
  /// Spellings that members of a schema cannot have: the names of the classes and of common types.
  private(set) var typeNames: Set<String> = []

  /// - Parameter reserved: the top-level names of the generated files.
  init(_ graph: EntityGraph, reserved: Set<String>) {
    var types = NameClaims(reserved: reserved.union(ReservedNames.types))
    nameEntities(graph.model, &types)
    nameComposites(graph.model, &types)
    nameEnumerations(graph.model, &types)
    // A member with the name of a type would hide the type from expressions in the same scope.
    typeNames = types.all
    nameElements(reserved: typeNames.union(ReservedNames.elements))
    nameProperties(graph, reserved: typeNames.union(ReservedNames.properties))
  }

  /// The class name of an entity.
  func type(of entity: String) -> String { typeByEntity[entity] ?? SwiftIdentifier.typeName(entity) }

  /// The structure name of a composite type.
  func type(of composite: CompositeDescription) -> String {
    typeByComposite[composite] ?? SwiftIdentifier.typeName(composite.name, fallback: "Composite")
  }

  /// The Swift name of an enumeration.
  func type(of enumeration: EnumerationDescription) -> String {
    typeByEnumeration[enumeration] ?? SwiftIdentifier.typeName(enumeration.name, fallback: "Enumeration")
  }

  /// Spellings of an enumeration's cases, in the order of the labels.
  static func cases(of enumeration: EnumerationDescription) -> [String] {
    var claims = NameClaims(reserved: ReservedNames.cases)
    return enumeration.labels.map { label in
      let words = String(label.map { $0 == "_" ? " " : $0 })
      return claims.claim(SwiftIdentifier.propertyName(words, fallback: "label"))
    }
  }

  /// The spelling of a property. An inherited property has the spelling of the class that declares it.
  func property(_ name: String, of entity: String) -> String {
    propertiesByEntity[entity]?[name] ?? SwiftIdentifier.propertyName(name)
  }

  /// Spellings of a composite's elements, in order.
  func elements(of composite: CompositeDescription) -> [String] {
    elementsByComposite[composite] ?? composite.elements.map { SwiftIdentifier.propertyName($0.name) }
  }

  /// The composite type of an attribute whose type is `.composite`.
  static func composite(of attribute: AttributeDescription) -> CompositeDescription {
    CompositeDescription(
      name: attribute.compositeName ?? SwiftIdentifier.capitalized(attribute.name), elements: attribute.elements)
  }
}

// MARK: - Types

extension SwiftNames {
  /// Entities with an unchanged name come first, so that no other entity takes a name from them.
  private mutating func nameEntities(_ model: ModelDescription, _ types: inout NameClaims) {
    func staysAsItIs(_ entity: EntityDescription) -> Bool {
      SwiftIdentifier.typeName(entity.name) == entity.name && !types.reserved.contains(entity.name)
    }
    let unchanged = model.entities.filter(staysAsItIs)
    let changed = model.entities.filter { !staysAsItIs($0) }
    for entity in unchanged + changed {
      typeByEntity[entity.name] = Self.claimType(
        SwiftIdentifier.typeName(entity.name), suffix: "Entity", &types)
    }
  }

  private mutating func nameComposites(_ model: ModelDescription, _ types: inout NameClaims) {
    for composite in model.composites { claim(composite, &types) }
    for entity in model.entities {
      for attribute in entity.attributes where attribute.type == .composite {
        claim(Self.composite(of: attribute), &types)
      }
    }
  }

  private mutating func claim(_ composite: CompositeDescription, _ types: inout NameClaims) {
    guard typeByComposite[composite] == nil else { return }
    let wanted = SwiftIdentifier.typeName(composite.name, fallback: "Composite")
    typeByComposite[composite] = Self.claimType(wanted, suffix: "Composite", &types)
    composites.append(composite)
    for element in composite.elements where element.type == .composite {
      claim(Self.composite(of: element), &types)
    }
  }

  private mutating func nameEnumerations(_ model: ModelDescription, _ types: inout NameClaims) {
    for enumeration in model.entities.flatMap(\.attributes).compactMap(\.enumeration)
    where typeByEnumeration[enumeration] == nil {
      let wanted = SwiftIdentifier.typeName(enumeration.name, fallback: "Enumeration")
      typeByEnumeration[enumeration] = Self.claimType(wanted, suffix: "Enumeration", &types)
      enumerations.append(enumeration)
    }
  }

  private static func claimType(_ wanted: String, suffix: String, _ types: inout NameClaims) -> String {
    types.claim(types.reserved.contains(wanted) ? wanted + suffix : wanted)
  }
}

// MARK: - Members

extension SwiftNames {
  private mutating func nameElements(reserved: Set<String>) {
    for composite in composites {
      var claims = NameClaims(reserved: reserved)
      elementsByComposite[composite] = composite.elements.map { element in
        let wanted = SwiftIdentifier.propertyName(element.name)
        return claims.claim(
          reserved.contains(wanted) ? Self.qualified(wanted, by: composite.name, fallback: "Composite") : wanted)
      }
    }
  }

  /// Superentities come first, because a class may not reuse the name of an inherited property.
  private mutating func nameProperties(_ graph: EntityGraph, reserved: Set<String>) {
    var claimsByEntity: [String: NameClaims] = [:]
    for entity in graph.model.entities {
      for ancestor in graph.lineage(of: entity.name) where propertiesByEntity[ancestor.name] == nil {
        let inherited = ancestor.superentityName
        var claims = inherited.flatMap { claimsByEntity[$0] } ?? NameClaims(reserved: reserved)
        var names = inherited.flatMap { propertiesByEntity[$0] } ?? [:]
        Self.nameOwnProperties(of: ancestor, &names, &claims)
        propertiesByEntity[ancestor.name] = names
        claimsByEntity[ancestor.name] = claims
      }
    }
  }

  /// Gives out unchanged names first, and among them names with a leading underscore last. A stored property `x` also
  /// takes `_x`, in which `@Model` stores its value.
  private static func nameOwnProperties(
    of entity: EntityDescription, _ names: inout [String: String], _ claims: inout NameClaims
  ) {
    var ranked: [[(name: String, wanted: String)]] = [[], [], []]
    for property in entity.properties {
      let name = property.name
      let wanted = SwiftIdentifier.propertyName(name)
      if claims.reserved.contains(wanted) || ReservedNames.truthValues.contains(wanted) && !property.isTruthValue {
        ranked[2].append((name, qualified(wanted, by: entity.name)))
      } else {
        ranked[wanted != name ? 2 : wanted.hasPrefix("_") ? 1 : 0].append((name, wanted))
      }
    }
    for (name, wanted) in ranked.joined() where names[name] == nil {
      names[name] = claims.claim(wanted) { ["_" + $0] }
    }
  }

  /// Qualifies a name by its owner: `hash` of a book becomes `bookHash`.
  private static func qualified(_ name: String, by owner: String, fallback: String = "Entity") -> String {
    let prefix = SwiftIdentifier.lowercased(SwiftIdentifier.typeName(owner, fallback: fallback))
    return SwiftIdentifier.cut(prefix + SwiftIdentifier.capitalized(name))
  }
}

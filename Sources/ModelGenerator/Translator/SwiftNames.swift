import ManagedModel

/// How the names of one model are spelled in Swift: the single place where a spelling is decided.
///
/// A persistent name never changes. Its spelling differs where the name is no Swift identifier, hides a type that
/// everybody uses, is a member that every model class has, or is taken already; whoever renders a declaration then
/// records the persistent name beside it. The same model always gets the same spellings.
struct SwiftNames: Sendable {
  private var typeByEntity: [String: String] = [:]
  private var typeByComposite: [CompositeDescription: String] = [:]
  private var propertiesByEntity: [String: [String: String]] = [:]
  /// Composite types in the order of their first use, with the named ones before the others.
  private(set) var composites: [CompositeDescription] = []

  /// - Parameter reserved: names that the generated files declare at their top level.
  init(_ graph: EntityGraph, reserved: Set<String>) {
    var taken = reserved.union(ReservedNames.types)
    nameEntities(graph.model, taken: &taken)
    nameComposites(graph.model, taken: &taken)
    nameProperties(graph)
  }

  /// The class of an entity.
  func type(of entity: String) -> String { typeByEntity[entity] ?? SwiftIdentifier.typeName(entity) }

  /// The structure of a composite type.
  func type(of composite: CompositeDescription) -> String {
    typeByComposite[composite] ?? SwiftIdentifier.typeName(composite.name, fallback: "Composite")
  }

  /// The property of a class; inherited ones have the name that their own class gave them.
  func property(_ name: String, of entity: String) -> String {
    propertiesByEntity[entity]?[name] ?? SwiftIdentifier.propertyName(name)
  }

  /// Spellings of a composite's elements, in order.
  static func elements(of composite: CompositeDescription) -> [String] {
    var taken: Set<String> = ["init", "self", "Self", "Type", "Protocol"]
    return composite.elements.map { element in
      let name = SwiftIdentifier.unused(SwiftIdentifier.propertyName(element.name)) { taken.contains($0) }
      taken.insert(name)
      return name
    }
  }

  /// The composite type of an attribute whose type is `.composite`.
  static func composite(of attribute: AttributeDescription) -> CompositeDescription {
    CompositeDescription(
      name: attribute.compositeName ?? SwiftIdentifier.capitalized(attribute.name), elements: attribute.elements)
  }

  /// Entities whose names can stay are served first, so that no other entity takes a name from them.
  private mutating func nameEntities(_ model: ModelDescription, taken: inout Set<String>) {
    func staysAsItIs(_ name: String) -> Bool {
      SwiftIdentifier.typeName(name) == name && !ReservedNames.types.contains(name)
    }
    let unchanged = model.entities.filter { staysAsItIs($0.name) }
    let changed = model.entities.filter { !staysAsItIs($0.name) }
    for entity in unchanged + changed {
      let wanted = SwiftIdentifier.typeName(entity.name)
      typeByEntity[entity.name] = Self.claimType(wanted, suffix: "Entity", taken: &taken)
    }
  }

  private mutating func nameComposites(_ model: ModelDescription, taken: inout Set<String>) {
    for composite in model.composites { claim(composite, taken: &taken) }
    for entity in model.entities {
      for attribute in entity.attributes where attribute.type == .composite {
        claim(Self.composite(of: attribute), taken: &taken)
      }
    }
  }

  private mutating func claim(_ composite: CompositeDescription, taken: inout Set<String>) {
    guard typeByComposite[composite] == nil else { return }
    let wanted = SwiftIdentifier.typeName(composite.name, fallback: "Composite")
    typeByComposite[composite] = Self.claimType(wanted, suffix: "Composite", taken: &taken)
    composites.append(composite)
    for element in composite.elements where element.type == .composite {
      claim(Self.composite(of: element), taken: &taken)
    }
  }

  private static func claimType(_ wanted: String, suffix: String, taken: inout Set<String>) -> String {
    let base = ReservedNames.types.contains(wanted) ? wanted + suffix : wanted
    let name = SwiftIdentifier.unused(base) { taken.contains($0) }
    taken.insert(name)
    return name
  }

  /// Superentities first: a class may not use the name of an inherited property again.
  private mutating func nameProperties(_ graph: EntityGraph) {
    for entity in graph.model.entities {
      for ancestor in graph.lineage(of: entity.name) where propertiesByEntity[ancestor.name] == nil {
        let inherited = ancestor.superentityName.flatMap { propertiesByEntity[$0] } ?? [:]
        propertiesByEntity[ancestor.name] = Self.properties(of: ancestor, inherited: inherited)
      }
    }
  }

  /// A stored property `x` takes `_x` too, where `@Model` keeps its value.
  private static func properties(of entity: EntityDescription, inherited: [String: String]) -> [String: String] {
    var names = inherited
    var taken = Set(inherited.values)
    taken.formUnion(inherited.values.map { "_" + $0 })
    func isFree(_ name: String) -> Bool { !taken.contains(name) && !taken.contains("_" + name) }
    func staysAsItIs(_ name: String) -> Bool {
      SwiftIdentifier.propertyName(name) == name && !ReservedNames.properties.contains(name)
    }
    let own = entity.properties.map(\.name).filter { names[$0] == nil }
    for name in own.filter(staysAsItIs) + own.filter({ !staysAsItIs($0) }) where names[name] == nil {
      let wanted = SwiftIdentifier.propertyName(name)
      let base =
        ReservedNames.properties.contains(wanted)
        ? SwiftIdentifier.lowercased(SwiftIdentifier.typeName(entity.name)) + SwiftIdentifier.capitalized(wanted)
        : wanted
      let spelled = SwiftIdentifier.unused(base) { !isFree($0) }
      names[name] = spelled
      taken.insert(spelled)
      taken.insert("_" + spelled)
    }
    return names
  }
}

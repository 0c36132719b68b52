import ManagedModel

extension SchemaTranslator {
  /// The structure for a composite type.
  mutating func structDeclaration(for composite: CompositeDescription) -> StructDeclaration {
    let spellings = names.elements(of: composite)
    var properties: [PropertyDeclaration] = []
    for (element, spelled) in zip(composite.elements, spellings) {
      let start = properties.count
      let comments = collectingComments { translator in
        properties.append(translator.element(element, spelled: spelled, of: composite.name))
      }
      properties[start].comments = comments
    }
    let isSpelledAsStored = zip(composite.elements, spellings).allSatisfy { $0.name == $1 }
    let keys = zip(composite.elements, spellings).map {
      StructDeclaration.CodingKey(name: $1, persistentName: $0.name)
    }
    return StructDeclaration(
      comments: [], name: names.type(of: composite), properties: properties, codingKeys: isSpelledAsStored ? [] : keys,
      isExact: dialect == .open,
      storedName: names.type(of: composite) == composite.name ? nil : composite.name)
  }

  /// The property for an element. A coding key gives it its persistent name; with Apple's API it has no options.
  private mutating func element(
    _ element: AttributeDescription, spelled: String, of composite: String
  ) -> PropertyDeclaration {
    var plain = element
    plain.name = spelled
    var declaration = attribute(plain, spelled: spelled, of: composite, isUnique: false)
    if declaration.attribute != nil, dialect == .apple {
      note(
        .warning, composite, element.name, "the options of an element of a composite attribute",
        remedy: "use a plain attribute if they matter")
      declaration.attribute = nil
    }
    return declaration
  }
}

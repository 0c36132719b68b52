import ErrorReporting
import ManagedModel

extension ModelParser {
  /// Reads an `entity` element. Reports a missing name and returns `nil`.
  mutating func entity(_ element: XMLElement, composites: CompositeTypes) -> EntityDescription? {
    guard let name = name(of: element) else { return nil }
    locations.record(.entity, name, line: element.line)
    var entity = EntityDescription(name: name)
    entity.className = text("representedClassName", of: element)
    entity.isAbstract = flag("isAbstract", of: element)
    entity.superentityName = text("parentEntity", of: element)
    entity.renamingIdentifier = text("elementID", of: element)
    entity.versionHashModifier = text("versionHashModifier", of: element)
    entity.coreSpotlightDisplayName = text("coreSpotlightDisplayNameExpression", of: element)
    entity.codeGeneration = codeGeneration(element)
    entity.userInfo = userInfo(of: element)

    let owner = "entity \(quoted(name))"
    for child in element.children {
      if let property = property(child, owner: owner, composites: composites) {
        locations.record(.property, property.name, in: name, line: child.line)
        entity.properties.append(property)
      }
      switch child.name {
      case "uniquenessConstraints":
        entity.uniquenessConstraints += nameLists(child, list: "uniquenessConstraint", item: "constraint", owner: owner)
      case "compoundIndexes":
        entity.compoundIndexes += nameLists(child, list: "compoundIndex", item: "index", owner: owner)
      case "fetchIndex":
        if let index = fetchIndex(child, owner: owner) {
          locations.record(.fetchIndex, index.name, in: name, line: child.line)
          entity.fetchIndexes.append(index)
        }
      default: break
      }
    }
    return entity
  }

  private mutating func property(
    _ element: XMLElement, owner: String, composites: CompositeTypes
  ) -> PropertyDescription? {
    switch element.name {
    case "attribute": attribute(element, owner: owner, composites: composites).map(PropertyDescription.attribute)
    case "relationship": relationship(element, owner: owner).map(PropertyDescription.relationship)
    case "fetchedProperty": fetchedProperty(element, owner: owner).map(PropertyDescription.fetchedProperty)
    default: nil
    }
  }

  private mutating func codeGeneration(_ element: XMLElement) -> EntityDescription.CodeGeneration {
    // Xcode leaves the attribute out for Manual/None. Xcode before version 8 did not have it.
    guard let text = text("codeGenerationType", of: element) else { return .unspecified }
    switch text {
    case "class": return .classDefinition
    case "category": return .category
    case "none", "manual": return .manual
    default:
      report(
        .warning, element.line, "the code generation of \(describe(element)) is \(quoted(text)), which is not known",
        "choose Manual/None, Class Definition or Category/Extension; it was left unspecified")
      return .unspecified
    }
  }

  /// Reads lists of property names. `uniquenessConstraints` and `compoundIndexes` have the same shape.
  private mutating func nameLists(
    _ element: XMLElement, list: String, item: String, owner: String
  ) -> [[String]] {
    var lists: [[String]] = []
    for child in element.children(named: list) {
      var names: [String] = []
      for entry in child.children(named: item) {
        if let name = text("value", of: entry) {
          names.append(name)
        } else {
          report(
            .error, entry.line, "a \(list) of \(owner) has an entry without a “value”", "name a property, or remove it")
        }
      }
      if names.isEmpty {
        report(.warning, child.line, "a \(list) of \(owner) names no property", "remove it; it was left out")
      } else {
        lists.append(names)
      }
    }
    return lists
  }
}

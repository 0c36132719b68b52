import ManagedModel

extension ModelDescription {
  /// The model without what no archive of Core Data's carries, and with one spelling for what has several: what generated
  /// declarations have to keep.
  var canonical: ModelDescription {
    var model = ModelDescription(
      entities: entities.map(\.canonical).sorted { codeUnitOrder($0.name, $1.name) },
      configurations: configurations, fetchRequestTemplates: fetchRequestTemplates)
    for index in model.configurations.indices {
      model.configurations[index].entityNames.sort(by: codeUnitOrder)
    }
    return model
  }

  /// What differs between two models in canonical form, a line each.
  func differences(from other: ModelDescription) -> [String] {
    var lines: [String] = []
    if fetchRequestTemplates != other.fetchRequestTemplates { lines.append("fetch request templates") }
    if configurations != other.configurations { lines.append("configurations") }
    for (left, right) in zip(entities, other.entities) where left != right {
      lines += left.differences(from: right)
    }
    if entities.count != other.entities.count { lines.append("entities") }
    return lines
  }
}

extension EntityDescription {
  fileprivate var canonical: EntityDescription {
    var entity = self
    if let last = className?.split(separator: ".").last, last == name || className == "NSManagedObject" {
      entity.className = nil
    }
    entity.codeGeneration = .unspecified
    entity.renamingIdentifier = renamingIdentifier.flatMap { $0 == name || $0.isEmpty ? nil : $0 }
    entity.compoundIndexes = []
    // Older indexes are what Core Data makes of them today (CD-4).
    for names in compoundIndexes + attributes.filter({ $0.isIndexed && !$0.isTransient }).map({ [$0.name] }) {
      let elements = names.map { FetchIndexDescription.Element(subject: .property($0)) }
      guard !entity.fetchIndexes.contains(where: { $0.elements.map(\.subject) == elements.map(\.subject) }) else {
        continue
      }
      entity.fetchIndexes.append(FetchIndexDescription(name: names.joined(separator: "_"), elements: elements))
    }
    entity.fetchIndexes.sort { codeUnitOrder($0.name, $1.name) }
    entity.uniquenessConstraints.sort { codeUnitOrder($0.joined(separator: "."), $1.joined(separator: ".")) }
    entity.properties = properties.map(\.canonical).sorted { codeUnitOrder($0.name, $1.name) }
    return entity
  }

  fileprivate func differences(from other: EntityDescription) -> [String] {
    var lines: [String] = []
    for (left, right) in zip(properties, other.properties) where left != right {
      lines.append("\(name).\(left.name): \(left) ≠ \(right)")
    }
    if fetchIndexes != other.fetchIndexes { lines.append("\(name): indexes \(fetchIndexes) ≠ \(other.fetchIndexes)") }
    if userInfo != other.userInfo { lines.append("\(name): user info") }
    if className != other.className { lines.append("\(name): class \(className ?? "-") ≠ \(other.className ?? "-")") }
    if properties.map(\.name) != other.properties.map(\.name) { lines.append("\(name): names of properties") }
    return lines.isEmpty ? ["\(name): \(self) ≠ \(other)"] : lines
  }
}

extension PropertyDescription {
  fileprivate var canonical: PropertyDescription {
    switch self {
    case .attribute(let attribute): return .attribute(attribute.canonical)
    case .relationship(var relationship):
      let renaming = relationship.renamingIdentifier
      relationship.renamingIdentifier = renaming.flatMap { $0 == name || $0.isEmpty ? nil : $0 }
      // The entity of an inverse is stated or goes without saying.
      relationship.inverseEntityName = nil
      return .relationship(relationship)
    case .fetchedProperty: return self
    }
  }
}

extension AttributeDescription {
  fileprivate var canonical: AttributeDescription {
    var attribute = self
    attribute.renamingIdentifier = renamingIdentifier.flatMap { $0 == name || $0.isEmpty ? nil : $0 }
    attribute.isIndexed = false
    attribute.usesScalarValueType = false
    attribute.isReadOnly = derivation != nil
    if derivation != nil { attribute.defaultValue = nil }
    if type != .transformable {
      attribute.valueTransformerName = nil
      attribute.valueClassName = nil
    }
    if type == .undefined, isTransient { attribute.isOptional = true }
    attribute.elements = elements.map(\.canonical)
    return attribute
  }
}

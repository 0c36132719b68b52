extension ModelValidator {
  mutating func validate(_ attribute: AttributeDescription, of entity: EntityDescription) {
    if attribute.type == .undefined, !attribute.isTransient {
      report(.undefinedType, entity: entity.name, property: attribute.name)
    }
    if let value = attribute.defaultValue, !value.fits(attribute.type) {
      report(.defaultOfOtherType(attribute.type), entity: entity.name, property: attribute.name)
    }
    if let derivation = attribute.derivation, derivation.expressionFormat == nil {
      report(.unreadableDerivation(derivation.expression), entity: entity.name, property: attribute.name)
    }
    validateRules(of: attribute, in: entity)
    var composites = attribute.type == .composite ? [attribute] : []
    while let composite = composites.popLast() {
      if composite.elements.isEmpty {
        report(.compositeWithoutElements, entity: entity.name, property: attribute.name)
      }
      validateNames(composite.elements.map(\.name), of: .element, in: entity.name)
      for element in composite.elements { validateRules(of: element, in: entity, at: attribute.name) }
      composites.append(contentsOf: composite.elements.filter { $0.type == .composite })
    }
  }

  /// - Parameter property: the attribute that has the element; `nil` for an attribute of the entity.
  private mutating func validateRules(
    of attribute: AttributeDescription, in entity: EntityDescription, at property: String? = nil
  ) {
    let property = property ?? attribute.name
    if let pattern = attribute.unreadablePattern {
      report(.unreadablePattern(pattern), entity: entity.name, property: property)
    }
    for rule in attribute.validationRules where !rule.isReadable {
      report(.unreadableRule(rule.predicate), entity: entity.name, property: property)
    }
    if attribute.hasCrossedBounds {
      report(.crossedBounds(isLength: attribute.type == .string), entity: entity.name, property: property)
    }
  }

  mutating func validate(_ relationship: RelationshipDescription, of entity: EntityDescription) {
    let (minimum, maximum) = (relationship.minimumCount, relationship.maximumCount)
    if minimum < 0 || (maximum > 0 && minimum > maximum) {
      report(.illegalCounts(minimum: minimum, maximum: maximum), entity: entity.name, property: relationship.name)
    }
    let destination = relationship.destinationEntityName
    guard graph.entity(destination) != nil else {
      report(
        .unknownDestination(destination, nearest: nearestEntity(to: destination)), entity: entity.name,
        property: relationship.name)
      return
    }
    if let problem = problem(withInverseOf: relationship, of: entity) {
      report(problem, entity: entity.name, property: relationship.name)
    }
  }

  private mutating func problem(
    withInverseOf relationship: RelationshipDescription, of entity: EntityDescription
  ) -> ModelIssue.Kind? {
    guard let name = relationship.inverseName else { return .missingInverse }
    let destination = relationship.destinationEntityName
    let owner = relationship.inverseEntityName ?? destination
    guard graph.entity(owner) != nil else { return .unknownInverseEntity(owner, nearest: nearestEntity(to: owner)) }
    guard areOfOneLine(owner, destination) else { return .unrelatedInverseEntity(owner, destination: destination) }
    guard case .relationship(let inverse)? = property(named: name, of: owner) else {
      return .unknownInverse(name, entity: owner, nearest: nearest(to: name) { $0.propertyNames(of: owner) })
    }
    guard inverse.inverseName == relationship.name, areOfOneLine(inverse.destinationEntityName, entity.name) else {
      return .inverseDoesNotPointBack(name, entity: owner)
    }
    return nil
  }

  mutating func validateConstraints(of entity: EntityDescription) {
    for constraint in entity.uniquenessConstraints {
      if constraint.isEmpty { report(.emptyConstraint, entity: entity.name) }
      for name in constraint {
        switch graph.property(at: name, of: entity.name) {
        case nil:
          report(
            .unknownConstraintProperty(name, nearest: nearest(to: name) { $0.propertyNames(of: entity.name) }),
            entity: entity.name)
        case .relationship(let relationship)? where relationship.isToMany || relationship.isTransient:
          report(.unsuitableConstraintProperty(name), entity: entity.name)
        case .attribute(let attribute)? where attribute.isTransient:
          report(.unsuitableConstraintProperty(name), entity: entity.name)
        case .attribute(let attribute)? where attribute.type == .composite && !attribute.isEnumeration:
          let element = attribute.elements.first.map { "\(name).\($0.name)" }
          let isOfCases = attribute.userInfo["EnumType"] == .boolean(true)
          report(
            isOfCases ? .casesInConstraint(name) : .structureInConstraint(name, element: element), entity: entity.name)
        case .fetchedProperty?:
          report(.unsuitableConstraintProperty(name), entity: entity.name)
        default: break
        }
      }
    }
  }

  mutating func validateIndexes(of entity: EntityDescription) {
    for index in entity.fetchIndexes {
      if let predicate = index.partialIndexPredicate, !predicate.isEmpty, PredicateParser.predicate(predicate) == nil {
        report(.unreadableIndexPredicate(index: index.name, predicate), entity: entity.name)
      }
      for element in index.elements {
        switch element.subject {
        case .property(let name): validateIndexed(name, by: index.name, of: entity)
        case .expression(let expression):
          guard !graph.canIndex(expression, of: entity.name) else { continue }
          report(.unsupportedIndexExpression(index: index.name, expression), entity: entity.name)
        }
      }
    }
    for index in entity.compoundIndexes {
      // An index of the older form may name the object itself, or its entity.
      for name in index where !["self", "entity"].contains(name.lowercased()) {
        validateIndexed(name, by: index.joined(separator: ","), of: entity)
      }
    }
  }

  private mutating func validateIndexed(_ name: String, by index: String, of entity: EntityDescription) {
    guard graph.property(at: name, of: entity.name) == nil else { return }
    report(
      .unknownIndexProperty(index: index, name, nearest: nearest(to: name) { $0.propertyNames(of: entity.name) }),
      entity: entity.name)
  }

  /// The property of an entity or one of its superentities.
  private func property(named name: String, of entity: String) -> PropertyDescription? {
    graph.lineage(of: entity).reversed().lazy.compactMap { ownProperties[$0.name]?[name] }.first
  }

  private func propertyNames(of entity: String) -> [String] {
    graph.lineage(of: entity).flatMap { $0.properties.map(\.name) }
  }

  private func areOfOneLine(_ one: String, _ other: String) -> Bool {
    graph.isKind(one, of: other) || graph.isKind(other, of: one)
  }
}

extension AttributeValue {
  /// Whether a value of this case can be the default of an attribute of the type.
  package func fits(_ type: AttributeType) -> Bool {
    switch (self, type) {
    case (_, .undefined), (_, .transformable): true
    case (.integer(let value), .integer16): Int16(exactly: value) != nil
    case (.integer(let value), .integer32): Int32(exactly: value) != nil
    case (.integer, .integer64), (.integer, .decimal), (.integer, .double), (.integer, .float): true
    case (.decimal, .decimal), (.double, .double), (.double, .float): true
    case (.boolean, .boolean), (.string, .string), (.date, .date), (.binary, .binary): true
    case (.uuid, .uuid), (.uri, .uri): true
    default: false
    }
  }
}

import ErrorReporting

extension ModelComparison {
  /// A property with the entity that declares it.
  private struct Declared {
    let property: PropertyDescription
    let entity: String
  }

  /// Compares all properties of two matched entities, inherited properties included.
  ///
  /// Skips a property that both entities inherit from matched superentities; the comparison of the superentities
  /// reports it.
  mutating func compareProperties(of old: EntityDescription, and new: EntityDescription) {
    let oldProperties = declared(in: old.name, of: source)
    let newProperties = declared(in: new.name, of: destination)
    let matching = Matching(from: oldProperties.map(\.property), to: newProperties.map(\.property))
    let oldByName = Dictionary(oldProperties.map { ($0.property.name, $0) }, uniquingKeysWith: { $1 })

    for declared in newProperties {
      let name = declared.property.name
      let isOwn = declared.entity == new.name
      guard let match = matching.sources[name].flatMap({ oldByName[$0] }) else {
        if isOwn || entities.sources[declared.entity] == nil || !inherits(old.name, from: declared.entity) {
          changes.append(addition(of: declared.property, to: new.name))
        }
        continue
      }
      let isInheritedOnBothSides =
        !isOwn && match.entity != old.name && entities.sources[declared.entity] == match.entity
      if isInheritedOnBothSides { continue }
      if entities.sources[declared.entity] != match.entity {
        changes.append(
          ModelChange(
            entity: new.name, property: name,
            kind: .propertyMoved(from: match.entity, to: declared.entity), migration: .lightweight))
      }
      compare(match.property, declared.property, of: new.name)
    }
    for declared in oldProperties where matching.destinations[declared.property.name] == nil {
      let isReportedAbove =
        declared.entity != old.name
        && entities.destinations[declared.entity].map { destination.isKind(new.name, of: $0) } ?? false
      if isReportedAbove { continue }
      changes.append(
        ModelChange(
          entity: new.name, property: declared.property.name, kind: .propertyRemoved(declared.property.kind),
          migration: declared.property.isTransient ? .none : .lightweight))
    }
  }

  /// Whether entity `old` of the source already inherits from the source entity that matches `new`.
  private func inherits(_ old: String, from new: String) -> Bool {
    entities.sources[new].map { source.isKind(old, of: $0) } ?? false
  }

  private func declared(in entity: String, of graph: EntityGraph) -> [Declared] {
    var owners: [String: String] = [:]
    for ancestor in graph.lineage(of: entity) {
      for property in ancestor.properties { owners[property.name] = ancestor.name }
    }
    return graph.properties(of: entity).map { Declared(property: $0, entity: owners[$0.name] ?? entity) }
  }

  private mutating func addition(of property: PropertyDescription, to entity: String) -> ModelChange {
    var migration: ModelChange.Migration = property.isTransient ? .none : .lightweight
    if !property.isTransient, let obstacle = obstacle(toFilling: property), someObjectLacks(property, of: entity) {
      migration = .custom(obstacle)
    }
    return ModelChange(
      entity: entity, property: property.name, kind: .propertyAdded(property.kind), migration: migration)
  }

  /// Whether an object of the entity may come from an entity that did not have the property.
  ///
  /// If a property moves up to an abstract entity, the objects below that entity already have it.
  private mutating func someObjectLacks(_ property: PropertyDescription, of entity: String) -> Bool {
    var rest = [entity]
    while let name = rest.popLast() {
      rest += destination.subentities(of: name)
      guard let new = destination.entity(name), !new.isAbstract, let old = entities.sources[name],
        source.entity(old)?.isAbstract == false
      else { continue }
      let matching =
        propertyMatchings[name] ?? Matching(from: source.properties(of: old), to: destination.properties(of: name))
      propertyMatchings[name] = matching
      if matching.sources[property.name] == nil { return true }
    }
    return false
  }

  /// The reason why existing rows get no value for a property that is, or becomes, mandatory.
  private func obstacle(toFilling property: PropertyDescription) -> ModelChange.Obstacle? {
    switch property {
    case .attribute(let attribute):
      return attribute.isFilled || attribute.derivation != nil ? nil : .mandatoryWithoutDefault
    case .relationship(let relationship):
      // An empty set is a value of a to-many relationship.
      let isFilled = relationship.isOptional || relationship.isToMany && relationship.minimumCount <= 0
      return isFilled ? nil : .mandatoryRelationship
    case .fetchedProperty: return nil
    }
  }

  private mutating func compare(_ old: PropertyDescription, _ new: PropertyDescription, of entity: String) {
    let name = new.name
    let isUnstored = old.isTransient && new.isTransient
    func add(_ kind: ModelChange.Kind, _ migration: ModelChange.Migration) {
      changes.append(
        ModelChange(entity: entity, property: name, kind: kind, migration: isUnstored ? .none : migration))
    }
    func filled() -> ModelChange.Migration { obstacle(toFilling: new).map { .custom($0) } ?? .lightweight }

    if !new.name.hasBytes(of: old.name) {
      let migration = renaming(
        from: (old.name, old.renamingIdentifier), to: (new.name, new.renamingIdentifier))
      add(.propertyRenamed(from: old.name), migration)
    }
    if old.kind != new.kind {
      add(.propertyKindChanged(from: old.kind, to: new.kind), .custom(.kindChange))
      return
    }
    if old.isTransient != new.isTransient {
      add(.transienceChanged(isTransient: new.isTransient), new.isTransient ? .lightweight : filled())
    }
    if old.isOptional != new.isOptional {
      add(.optionalityChanged(isOptional: new.isOptional), new.isOptional ? .lightweight : filled())
    }
    if (old.versionHashModifier ?? "") != (new.versionHashModifier ?? "") {
      add(.versionHashModifierChanged, .lightweight)
    }
    switch (old, new) {
    case (.attribute(let old), .attribute(let new)): compare(old, new, add)
    case (.relationship(let old), .relationship(let new)): compare(old, new, add)
    case (.fetchedProperty(let old), .fetchedProperty(let new)):
      if old.fetchRequest != new.fetchRequest { add(.fetchRequestChanged, .none) }
    default: break
    }
  }

  private func compare(
    _ old: AttributeDescription, _ new: AttributeDescription,
    _ add: (ModelChange.Kind, ModelChange.Migration) -> Void
  ) {
    if old.type != new.type {
      // "Attributes: numerical type conversion" is among the inferable changes (WWDC 2010, session 118).
      let isConverted = old.type.isNumerical && new.type.isNumerical
      add(.typeChanged(from: old.type, to: new.type), isConverted ? .lightweight : .custom(.typeChange))
    }
    if old.derivation != new.derivation { add(.derivationChanged, .custom(.undocumented)) }
    let (oldElements, newElements) = (old.elements.map(\.asStored), new.elements.map(\.asStored))
    if oldElements != newElements || !zip(oldElements, newElements).allSatisfy({ $0.isSpelled(as: $1) }) {
      add(.compositeElementsChanged(removed: new.removedElements(of: old)), .custom(.undocumented))
    }
    if old.allowsExternalBinaryDataStorage != new.allowsExternalBinaryDataStorage {
      add(.externalStorageChanged(isAllowed: new.allowsExternalBinaryDataStorage), .lightweight)
    }
    if old.preservesValueInHistoryOnDeletion != new.preservesValueInHistoryOnDeletion {
      add(.preservationChanged(isPreserved: new.preservesValueInHistoryOnDeletion), .lightweight)
    }
    if old.isReadOnly != new.isReadOnly, new.derivation == nil || old.derivation == nil {
      add(.readOnlyChanged(isReadOnly: new.isReadOnly), .lightweight)
    }
    if old.defaultValue != new.defaultValue { add(.defaultValueChanged, .none) }
    if (old.minimumValue, old.maximumValue) != (new.minimumValue, new.maximumValue)
      || old.regularExpression != new.regularExpression
    {
      add(.validationChanged, .none)
    }
    if (old.valueClassName, old.valueTransformerName) != (new.valueClassName, new.valueTransformerName) {
      add(.valueClassChanged, .none)
    }
  }

  private func compare(
    _ old: RelationshipDescription, _ new: RelationshipDescription,
    _ add: (ModelChange.Kind, ModelChange.Migration) -> Void
  ) {
    if old.destinationEntityName != new.destinationEntityName {
      let isRenamed = entities.sources[new.destinationEntityName] == old.destinationEntityName
      add(
        .destinationChanged(from: old.destinationEntityName, to: new.destinationEntityName),
        isRenamed ? .lightweight : .custom(.undocumented))
    }
    // A renamed, added or removed inverse leaves the keys on this side unchanged.
    if old.inverseName != new.inverseName {
      add(.inverseChanged(from: old.inverseName, to: new.inverseName), .lightweight)
    }
    if old.isToMany != new.isToMany {
      add(.cardinalityChanged(isToMany: new.isToMany), new.isToMany ? .lightweight : .custom(.toManyToOne))
    } else if (old.minimumCount, old.maximumCount) != (new.minimumCount, new.maximumCount) {
      add(.countsChanged, .lightweight)
    }
    if old.isOrdered != new.isOrdered { add(.orderingChanged(isOrdered: new.isOrdered), .lightweight) }
    if old.deleteRule != new.deleteRule { add(.deleteRuleChanged, .none) }
  }
}

extension AttributeType {
  /// Whether values are numbers to Core Data (`NSNumber`, `NSDecimalNumber`).
  fileprivate var isNumerical: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean: true
    default: false
    }
  }
}

extension EntityDescription {
  /// Whether an equal entity and its properties have names of the same bytes: equal names may differ in their normal form.
  func isSpelled(as other: EntityDescription) -> Bool {
    name.hasBytes(of: other.name)
      && zip(properties, other.properties).allSatisfy { property, other in
        guard case .attribute(let attribute) = property, case .attribute(let other) = other else {
          return property.name.hasBytes(of: other.name)
        }
        return attribute.isSpelled(as: other)
      }
  }
}

extension AttributeDescription {
  /// Whether an equal attribute and its elements have names of the same bytes.
  fileprivate func isSpelled(as other: AttributeDescription) -> Bool {
    name.hasBytes(of: other.name) && zip(elements, other.elements).allSatisfy { $0.isSpelled(as: $1) }
  }
}

extension AttributeDescription {
  /// The element without the parts that no store depends on: the name of its composite type, user info, the scalar
  /// flag.
  fileprivate var asStored: AttributeDescription {
    var element = self
    element.compositeName = nil
    element.userInfo = [:]
    element.usesScalarValueType = false
    element.elements = elements.map(\.asStored)
    return element
  }
}

extension AttributeDescription {
  /// Whether old rows are complete without a value of the attribute, or get one. A composite attribute has the values of
  /// its elements.
  fileprivate var isFilled: Bool {
    isOptional || defaultValue != nil || initialValue != nil
      || type == .composite && elements.allSatisfy(\.isFilled)
  }
}

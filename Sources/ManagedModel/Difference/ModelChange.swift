/// One change from a source model to a destination model.
package struct ModelChange: Sendable, Hashable {
  /// The entity's name in the destination model; for a removed entity, its name in the source model.
  package var entity: String
  /// The property's name in the destination model; for a removed property, its name in the source model. `nil` for a
  /// change of the entity itself.
  package var property: String?
  package var kind: Kind
  package var migration: Migration

  package init(entity: String, property: String? = nil, kind: Kind, migration: Migration) {
    self.entity = entity
    self.property = property
    self.kind = kind
    self.migration = migration
  }

  /// The migration that the change requires of a store of the source model.
  package enum Migration: Sendable, Hashable {
    /// The version hashes do not cover the change (VH-10), so the store opens as it is.
    case none
    /// Apple documents that Core Data infers the mapping ("Migrating your data model automatically").
    case lightweight
    /// Apple's documentation does not list the change as inferable.
    case custom(Obstacle)
  }

  package enum Kind: Sendable, Hashable {
    case entityAdded
    case entityRemoved
    case entityRenamed(from: String)
    case superentityChanged(from: String?, to: String?)
    case abstractnessChanged(isAbstract: Bool)
    case uniquenessConstraintsChanged
    case indexesChanged

    case propertyAdded(PropertyKind)
    case propertyRemoved(PropertyKind)
    case propertyRenamed(from: String)
    /// Another entity of the inheritance chain declares the property.
    case propertyMoved(from: String, to: String)
    case propertyKindChanged(from: PropertyKind, to: PropertyKind)
    case optionalityChanged(isOptional: Bool)
    case transienceChanged(isTransient: Bool)
    case versionHashModifierChanged

    case typeChanged(from: AttributeType, to: AttributeType)
    case defaultValueChanged
    case validationChanged
    case valueClassChanged
    case derivationChanged
    /// - removed: the paths of the elements whose values go, such as `street` or `point.x`.
    case compositeElementsChanged(removed: [String])
    case externalStorageChanged(isAllowed: Bool)
    case preservationChanged(isPreserved: Bool)
    case readOnlyChanged(isReadOnly: Bool)

    case destinationChanged(from: String, to: String)
    case inverseChanged(from: String?, to: String?)
    case cardinalityChanged(isToMany: Bool)
    case orderingChanged(isOrdered: Bool)
    case countsChanged
    case deleteRuleChanged
    case fetchRequestChanged
  }

  package enum PropertyKind: String, Sendable, Hashable {
    case attribute, relationship
    case fetchedProperty = "fetched property"
  }

  /// The reason why a mapping cannot be inferred.
  package enum Obstacle: Sendable, Hashable {
    case mandatoryWithoutDefault
    case mandatoryRelationship
    case typeChange
    case kindChange
    case toManyToOne
    case mergedHierarchies(with: String)
    /// Apple's documentation does not list the change as inferable.
    case undocumented
  }
}

extension PropertyDescription {
  var kind: ModelChange.PropertyKind {
    switch self {
    case .attribute: .attribute
    case .relationship: .relationship
    case .fetchedProperty: .fetchedProperty
    }
  }

  var renamingIdentifier: String? {
    switch self {
    case .attribute(let attribute): attribute.renamingIdentifier
    case .relationship(let relationship): relationship.renamingIdentifier
    case .fetchedProperty: nil
    }
  }

  var versionHashModifier: String? {
    switch self {
    case .attribute(let attribute): attribute.versionHashModifier
    case .relationship(let relationship): relationship.versionHashModifier
    case .fetchedProperty: nil
    }
  }
}

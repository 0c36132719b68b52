/// One change from a source model to a destination model.
package struct ModelChange: Sendable, Hashable {
  /// The entity's name in the destination model, or in the source model for what is removed.
  package var entity: String
  /// The property's name, of the same model as `entity`; `nil` for a change of the entity itself.
  package var property: String?
  package var kind: Kind
  package var migration: Migration

  package init(entity: String, property: String? = nil, kind: Kind, migration: Migration) {
    self.entity = entity
    self.property = property
    self.kind = kind
    self.migration = migration
  }

  /// What a store of the source model needs because of the change.
  package enum Migration: Sendable, Hashable {
    /// The version hashes do not know of it (VH-10): the store opens as it is.
    case none
    /// Apple documents that the mapping is inferred ("Migrating your data model automatically").
    case lightweight
    /// Not among the documented patterns.
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
    /// The property is declared by another entity of the line.
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
    case compositeElementsChanged
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

  /// Why a mapping cannot be inferred.
  package enum Obstacle: Sendable, Hashable {
    case mandatoryWithoutDefault
    case mandatoryRelationship
    case typeChange
    case kindChange
    case toManyToOne
    case mergedHierarchies(with: String)
    /// The change is none that Apple's documentation lists as inferable.
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

import ErrorReporting

/// A problem of a model, with its place and its remedy.
package struct ModelIssue: ReportableError, Sendable, Hashable {
  package enum Severity: String, Sendable, Hashable {
    /// No store can be laid out, or no class generated, until the model is corrected.
    case error
    /// The model is usable, but may not do what its author meant.
    case warning
  }

  package var entity: String?
  package var property: String?
  package var kind: Kind

  package init(entity: String? = nil, property: String? = nil, kind: Kind) {
    self.entity = entity
    self.property = property
    self.kind = kind
  }

  package enum Kind: Sendable, Hashable {
    // Names.
    case illegalName(Subject, String, IllegalName)
    case duplicateName(Subject, String)
    /// Core Data's layout has one table for both root entities.
    case sharedTable(with: String)
    /// Both the entity and one of its superentities declare the property.
    case redeclaredProperty(superentity: String)

    // Inheritance.
    case unknownSuperentity(String, nearest: String?)
    case cyclicSuperentities
    /// An inheritance chain longer than ``ModelDescription/maximumInheritanceDepth``.
    case inheritanceTooDeep
    /// More properties than ``ModelDescription/maximumPropertyCount``.
    case tooManyProperties

    // Relationships.
    case unknownDestination(String, nearest: String?)
    case unknownInverse(String, entity: String, nearest: String?)
    case unknownInverseEntity(String, nearest: String?)
    /// The inverse's entity is neither the destination nor a superentity or subentity of it.
    case unrelatedInverseEntity(String, destination: String)
    /// The inverse relationship names another inverse or none, or its destination is not related to this entity. Core
    /// Data accepts this, and sets only the inverse of the relationship that is changed.
    case inverseDoesNotPointBack(String, entity: String)
    case missingInverse
    case illegalCounts(minimum: Int, maximum: Int)

    // Attributes.
    case undefinedType
    case compositeWithoutElements
    case defaultOfOtherType(AttributeType)
    /// The derivation is not a readable expression.
    case unreadableDerivation(String)
    /// The pattern is no regular expression.
    case unreadablePattern(String)
    /// The condition of a validation rule is no predicate.
    case unreadableRule(String)
    /// The minimum exceeds the maximum.
    case crossedBounds(isLength: Bool)

    // Constraints, indexes, configurations, fetch requests.
    case emptyConstraint
    case unknownConstraintProperty(String, nearest: String?)
    /// The constraint names a property that has no single stored value.
    case unsuitableConstraintProperty(String)
    /// The constraint names a structure instead of one of its elements, such as `size.width`.
    case structureInConstraint(String, element: String?)
    /// The constraint names an enumeration without raw values. Each of its cases has a column.
    case casesInConstraint(String)
    /// The entity has the same fetch index twice; stores have it once.
    case repeatedFetchIndex(String)
    /// The predicate of a partial index is not readable.
    case unreadableIndexPredicate(index: String, String)
    /// The element is no property, although a store has columns of properties only.
    case unsupportedIndexExpression(index: String, String)
    case unknownIndexProperty(index: String, String, nearest: String?)
    case unknownConfigurationEntity(configuration: String, String, nearest: String?)
    case unknownFetchEntity(request: String, String, nearest: String?)
  }

  /// The kinds of declaration that have a name.
  package enum Subject: String, Sendable, Hashable {
    case entity, property, element, composite, configuration
    case fetchIndex = "fetch index"
    case fetchRequest = "fetch request template"
  }

  package enum IllegalName: Sendable, Hashable {
    case empty
    case containsNUL
  }

  package var severity: Severity {
    switch kind {
    case .missingInverse, .illegalCounts, .undefinedType, .unreadableDerivation, .sharedTable: .warning
    case .unreadablePattern, .unreadableRule, .crossedBounds, .unsupportedIndexExpression: .warning
    case .repeatedFetchIndex, .unreadableIndexPredicate, .unknownFetchEntity, .inverseDoesNotPointBack: .warning
    default: .error
    }
  }
}

extension ModelDescription {
  /// The largest number of entities in one inheritance chain; hand-made models have fewer than ten.
  package static let maximumInheritanceDepth = 500

  /// The largest number of properties of all entities, with inherited properties and elements of composites counted in
  /// each entity.
  ///
  /// A small model can have very many of them, and store, archive and source list them all. The largest real model has
  /// a few thousand.
  package static let maximumPropertyCount = 1_000_000

  /// All issues of the model, at most 1,000. Names and inheritance come first, then each entity in declared order.
  ///
  /// Cost: time linear in the size of the model.
  package func validate() -> [ModelIssue] {
    var validator = ModelValidator(self)
    validator.validateAll()
    return validator.issues
  }

  /// Whether ``validate()`` finds no error; warnings do not matter.
  package var isSound: Bool { !validate().contains { $0.severity == .error } }
}

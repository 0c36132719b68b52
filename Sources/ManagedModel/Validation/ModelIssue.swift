/// One thing that is wrong with a model: where it is and what it is, phrased by ``message``.
package struct ModelIssue: Sendable, Hashable {
  package enum Severity: String, Sendable, Hashable {
    /// No store can be laid out, or no class generated, before this is mended.
    case error
    /// The model can be used; it may not do what its author meant.
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
    /// The property is declared by the entity and by one of its superentities.
    case redeclaredProperty(superentity: String)

    // Inheritance.
    case unknownSuperentity(String, nearest: String?)
    case cyclicSuperentities
    /// More superentities in a line than ``ModelDescription/maximumInheritanceDepth``.
    case inheritanceTooDeep
    /// More properties than ``ModelDescription/maximumPropertyCount``.
    case tooManyProperties

    // Relationships.
    case unknownDestination(String, nearest: String?)
    case unknownInverse(String, entity: String, nearest: String?)
    case unknownInverseEntity(String, nearest: String?)
    /// The inverse belongs to an entity that is not of the destination's line.
    case unrelatedInverseEntity(String, destination: String)
    /// The inverse relationship names another inverse, or none, or leads to an entity of another line.
    case inverseDoesNotPointBack(String, entity: String)
    case missingInverse
    case illegalCounts(minimum: Int, maximum: Int)

    // Attributes.
    case undefinedType
    case compositeWithoutElements
    case defaultOfOtherType(AttributeType)
    /// The expression that the attribute is derived by is none.
    case unreadableDerivation(String)

    // Constraints, indexes, configurations, fetch requests.
    case emptyConstraint
    case unknownConstraintProperty(String, nearest: String?)
    /// The constraint names a property that has no single stored value.
    case unsuitableConstraintProperty(String)
    case unknownIndexProperty(index: String, String, nearest: String?)
    case unknownConfigurationEntity(configuration: String, String, nearest: String?)
    case unknownFetchEntity(request: String, String, nearest: String?)
  }

  /// What bears a name.
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
    case .missingInverse, .illegalCounts, .undefinedType, .unreadableDerivation: .warning
    case .duplicateName(.fetchIndex, _), .unknownFetchEntity: .warning
    default: .error
    }
  }
}

/// A model that cannot be used, with everything that is wrong with it.
package struct UnsoundModelError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The errors found, in the model's order; never empty.
  package let issues: [ModelIssue]

  package var description: String {
    let shown = issues.prefix(10).map(\.description)
    let rest = issues.count - shown.count
    return (shown + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: "\n")
  }
}

extension ModelDescription {
  /// How many entities a line of superentities may have; hand-made models have fewer than ten.
  package static let maximumInheritanceDepth = 500

  /// How many properties all entities may have, inherited ones and elements of composites counted in each: a small model
  /// can make very many of them, and store, archive and source list them all. The largest real model has a few thousand.
  package static let maximumPropertyCount = 1_000_000

  /// Everything that is wrong with the model, in its declared order; at most 1,000 issues.
  ///
  /// Cost: time linear in the size of the model.
  package func validate() -> [ModelIssue] {
    var validator = ModelValidator(self)
    validator.validateAll()
    return validator.issues
  }

  /// Passes if nothing that ``validate()`` finds is an error.
  /// - Throws: ``UnsoundModelError`` with the errors, warnings left out.
  package func requireSound() throws(UnsoundModelError) {
    let errors = validate().filter { $0.severity == .error }
    if !errors.isEmpty { throw UnsoundModelError(issues: errors) }
  }
}

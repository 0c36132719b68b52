/// An entity: its own properties and how they are indexed, constrained and named.
package struct EntityDescription: Sendable, Hashable {
  package var name: String
  /// The class that represents the entity; `nil` if the model names none.
  package var className: String?
  package var isAbstract: Bool
  /// The name of the direct superentity; `nil` for a root entity.
  package var superentityName: String?
  /// The entity's own properties in declared order, without inherited properties.
  package var properties: [PropertyDescription]
  /// The names of attributes or to-ones per constraint, in declared order, without inherited constraints (VH-3).
  package var uniquenessConstraints: [[String]]
  package var fetchIndexes: [FetchIndexDescription]
  /// Indexes in the form used before 2017: property names per index.
  package var compoundIndexes: [[String]]
  package var renamingIdentifier: String?
  package var versionHashModifier: String?
  package var userInfo: [String: UserInfoValue]
  package var codeGeneration: CodeGeneration
  /// The expression whose value names an object in Spotlight.
  package var coreSpotlightDisplayName: String?

  package init(
    name: String, className: String? = nil, isAbstract: Bool = false, superentityName: String? = nil,
    properties: [PropertyDescription] = [], uniquenessConstraints: [[String]] = [],
    fetchIndexes: [FetchIndexDescription] = [], compoundIndexes: [[String]] = [],
    renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
    userInfo: [String: UserInfoValue] = [:], codeGeneration: CodeGeneration = .unspecified,
    coreSpotlightDisplayName: String? = nil
  ) {
    self.name = name
    self.className = className
    self.isAbstract = isAbstract
    self.superentityName = superentityName
    self.properties = properties
    self.uniquenessConstraints = uniquenessConstraints
    self.fetchIndexes = fetchIndexes
    self.compoundIndexes = compoundIndexes
    self.renamingIdentifier = renamingIdentifier
    self.versionHashModifier = versionHashModifier
    self.userInfo = userInfo
    self.codeGeneration = codeGeneration
    self.coreSpotlightDisplayName = coreSpotlightDisplayName
  }

  /// The entity's own attributes in declared order, derived and composite attributes included.
  package var attributes: [AttributeDescription] {
    properties.compactMap { if case .attribute(let attribute) = $0 { attribute } else { nil } }
  }

  /// The entity's own relationships in declared order.
  package var relationships: [RelationshipDescription] {
    properties.compactMap { if case .relationship(let relationship) = $0 { relationship } else { nil } }
  }

  /// The entity's own fetched properties in declared order.
  package var fetchedProperties: [FetchedPropertyDescription] {
    properties.compactMap { if case .fetchedProperty(let property) = $0 { property } else { nil } }
  }

  /// The class files that Xcode writes for an entity.
  package enum CodeGeneration: String, Sendable, Hashable {
    case unspecified, classDefinition = "class", category, manual
  }
}

/// A property of an entity. The enum is indirect, because descriptions are large and lists of them are copied and
/// sorted often.
package indirect enum PropertyDescription: Sendable, Hashable {
  case attribute(AttributeDescription)
  case relationship(RelationshipDescription)
  case fetchedProperty(FetchedPropertyDescription)

  package var name: String {
    switch self {
    case .attribute(let attribute): attribute.name
    case .relationship(let relationship): relationship.name
    case .fetchedProperty(let property): property.name
    }
  }

  package var isTransient: Bool {
    switch self {
    case .attribute(let attribute): attribute.isTransient
    case .relationship(let relationship): relationship.isTransient
    case .fetchedProperty: true
    }
  }

  package var isOptional: Bool {
    switch self {
    case .attribute(let attribute): attribute.isOptional
    case .relationship(let relationship): relationship.isOptional
    case .fetchedProperty(let property): property.isOptional
    }
  }
}

/// A weak, one-way relationship whose objects are the result of a fetch.
package struct FetchedPropertyDescription: Sendable, Hashable {
  package var name: String
  package var isOptional: Bool
  package var fetchRequest: FetchRequestDescription
  package var userInfo: [String: UserInfoValue]

  package init(
    name: String, isOptional: Bool = true, fetchRequest: FetchRequestDescription,
    userInfo: [String: UserInfoValue] = [:]
  ) {
    self.name = name
    self.isOptional = isOptional
    self.fetchRequest = fetchRequest
    self.userInfo = userInfo
  }
}

/// A fetch index of an entity (CD-4).
package struct FetchIndexDescription: Sendable, Hashable {
  package var name: String
  package var elements: [Element]
  /// The partial index's predicate in `NSPredicate` format.
  package var partialIndexPredicate: String?

  package init(name: String, elements: [Element], partialIndexPredicate: String? = nil) {
    self.name = name
    self.elements = elements
    self.partialIndexPredicate = partialIndexPredicate
  }

  package struct Element: Sendable, Hashable {
    package var subject: Subject
    package var kind: Kind
    package var isAscending: Bool

    package init(subject: Subject, kind: Kind = .binary, isAscending: Bool = true) {
      self.subject = subject
      self.kind = kind
      self.isAscending = isAscending
    }
  }

  /// The subject of an index element: a property by name, or an expression (`self`, `entity`, …) in `NSExpression`
  /// format.
  package enum Subject: Sendable, Hashable {
    case property(String)
    case expression(String)
  }

  /// `NSFetchIndexElementType`.
  package enum Kind: Int, Sendable, Hashable {
    case binary = 0
    case rTree = 1
  }
}

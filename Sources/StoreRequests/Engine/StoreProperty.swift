import ErrorReporting
package import ManagedModel

/// A stored property of an entity, as every engine sees it.
package enum StoreProperty: Sendable {
  case attribute(StoreAttribute)
  case toOne(StoreRelationship)
  case toMany(StoreRelationship)

  package var name: String {
    switch self {
    case .attribute(let attribute): attribute.description.name
    case .toOne(let relationship), .toMany(let relationship): relationship.description.name
    }
  }

  /// The number of result columns that the value takes; see ``ColumnSelection``.
  package var width: Int {
    switch self {
    case .attribute(let attribute): attribute.leaves.count
    case .toOne: 2
    case .toMany: 0
    }
  }

  /// `nil` for a property that no store keeps: a transient or fetched property.
  init?(_ property: PropertyDescription, of entity: String, _ graph: EntityGraph, _ numbers: [String: Int32]) {
    guard !property.isTransient else { return nil }
    switch property {
    case .attribute(let attribute): self = .attribute(StoreAttribute(attribute))
    case .relationship(let relationship):
      let declaring = graph.declaringEntity(of: relationship.name, in: entity)?.name ?? entity
      let known = StoreRelationship(relationship, declaringEntityName: declaring, graph, numbers)
      self = relationship.isToMany ? .toMany(known) : .toOne(known)
    case .fetchedProperty: return nil
    }
  }
}

/// An attribute with its leaves: itself, or for a composite the attributes in it.
package struct StoreAttribute: Sendable {
  package let description: AttributeDescription
  /// In declared order; a composite's elements are flattened (CD-2.4).
  package let leaves: [Leaf]

  package struct Leaf: Sendable {
    /// The names from the attribute down to the leaf, the attribute's own first.
    package let path: [String]
    package let attribute: AttributeDescription

    package init(path: [String], attribute: AttributeDescription) {
      self.path = path
      self.attribute = attribute
    }
  }

  /// Bounds the walk. Only an invalid model nests composites without end, and such a model is refused before.
  private static let depthLimit = 32

  /// An attribute whose leaves an engine knows.
  package init(_ description: AttributeDescription, leaves: [Leaf]) {
    self.description = description
    self.leaves = leaves
  }

  init(_ description: AttributeDescription) {
    self.description = description
    leaves = Self.leaves(of: description, path: [description.name])
  }

  private static func leaves(of attribute: AttributeDescription, path: [String]) -> [Leaf] {
    guard attribute.type == .composite else { return [Leaf(path: path, attribute: attribute)] }
    guard path.count < depthLimit else { return [] }
    return attribute.elements.filter { !$0.isTransient }.flatMap { leaves(of: $0, path: path + [$0.name]) }
  }

  /// The only leaf that the names of a composite's elements lead to.
  ///
  /// - Throws: ``QueryError/unknownProperty(name:entity:nearest:)``, ``QueryError/wrongKind(property:entity:expected:)``
  package func leaf(_ element: [String], of entity: StoreEntity) throws -> Leaf {
    let candidates = leaves.filter { element.isEmpty || $0.path.dropFirst().elementsEqual(element) }
    guard candidates.count == 1, let leaf = candidates.first else {
      let name = ([description.name] + element).joined(separator: ".")
      guard leaves.contains(where: { $0.path.dropFirst().starts(with: element) }) else {
        throw QueryError.unknownProperty(
          name: name, entity: entity.name,
          nearest: nearestName(to: name, in: leaves.map { $0.path.joined(separator: ".") }))
      }
      throw QueryError.wrongKind(property: name, entity: entity.name, expected: .compositeElement)
    }
    return leaf
  }
}

extension StoreAttribute {
  /// The keys of the attribute's values in a tombstone, in the order of its leaves: the attribute's name, or the path of a structure's
  /// leaf. U+001F is in no name.
  package var tombstoneKeys: [String] {
    leaves.count == 1 ? [description.name] : leaves.map { Self.tombstoneKey($0.path) }
  }

  /// The key of a structure's leaf by its path, the attribute's name first.
  package static func tombstoneKey(_ path: [String]) -> String { path.joined(separator: "\u{1F}") }
}

/// A relationship with its destination and its inverse.
package struct StoreRelationship: Sendable {
  package let description: RelationshipDescription
  /// The entity that declares the relationship first: the entity itself or a superentity.
  package let declaringEntityName: String
  package let destinationName: String
  package let destinationNumber: Int32
  package let inverse: RelationshipDescription?
  /// The entity that declares the inverse first.
  package let inverseEntityName: String?
  package let storage: Storage

  /// Which change of a ``ChangeSet`` writes the relationship.
  package enum Storage: Sendable {
    /// The key of this to-one relationship, or of its to-one inverse.
    case key
    /// A ``ChangeSet/RelationshipChange`` of this relationship: pairs, or keys without a property in either entity.
    case listed
    /// A ``ChangeSet/RelationshipChange`` of the inverse.
    case listedByInverse
    /// Like ``listed``, for a relationship that is its own inverse.
    case reflexive

    package var isListed: Bool { self == .listed || self == .reflexive }
  }

  /// A relationship whose inverse and place an engine knows.
  package init(
    _ description: RelationshipDescription, declaringEntityName: String, destinationNumber: Int32,
    inverse: (description: RelationshipDescription, entityName: String)?, storage: Storage
  ) {
    self.description = description
    self.declaringEntityName = declaringEntityName
    destinationName = description.destinationEntityName
    self.destinationNumber = destinationNumber
    self.inverse = inverse?.description
    inverseEntityName = inverse?.entityName
    self.storage = storage
  }

  init(
    _ description: RelationshipDescription, declaringEntityName: String, _ graph: EntityGraph,
    _ numbers: [String: Int32]
  ) {
    self.description = description
    self.declaringEntityName = declaringEntityName
    destinationName = description.destinationEntityName
    destinationNumber = numbers[description.destinationEntityName] ?? 0
    let inverseName = description.inverseName
    inverse = inverseName.flatMap { name in
      guard case .relationship(let inverse)? = graph.property(name, of: description.destinationEntityName) else {
        return nil
      }
      return inverse
    }
    inverseEntityName = inverse.flatMap { inverse in
      graph.declaringEntity(of: inverse.name, in: description.destinationEntityName)?.name
    }
    let own = (declaringEntityName, description.name)
    let inverse = inverse
    let other = inverseEntityName.flatMap { name in inverse.map { (name, $0.name) } }
    storage =
      switch (description.isToMany, inverse?.isToMany) {
      case (false, _), (true, false?): .key
      case (true, nil): .listed
      case (true, true?):
        // Of a pair of inverses one side is written: the side with the first name. An inverse that names another relationship as
        // its own inverse is no side of a pair (CD-3.3).
        other.map {
          $0 == own ? .reflexive : own < $0 || !Self.answers(inverse, description) ? .listed : .listedByInverse
        } ?? .listed
      }
  }

  /// Whether the inverse names this relationship as its own inverse.
  package var isAnswered: Bool { Self.answers(inverse, description) }

  private static func answers(_ inverse: RelationshipDescription?, _ relationship: RelationshipDescription) -> Bool {
    inverse?.inverseName == relationship.name
  }
}

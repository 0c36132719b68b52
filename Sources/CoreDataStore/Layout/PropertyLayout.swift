package import ManagedModel
package import SQLite

/// Where a property's values are. Transient and fetched properties have no place in a store, and no layout.
package enum PropertyLayout: Sendable {
  case attribute(AttributeLayout)
  case toOne(ToOneLayout)
  case toMany(ToManyLayout)

  package var name: String {
    switch self {
    case .attribute(let attribute): attribute.description.name
    case .toOne(let relationship): relationship.description.name
    case .toMany(let relationship): relationship.description.name
    }
  }

  /// The name of the entity that declares the property first: the one itself or a superentity.
  package var declaringEntityName: String {
    switch self {
    case .attribute(let attribute): attribute.declaringEntityName
    case .toOne(let relationship): relationship.declaringEntityName
    case .toMany(let relationship): relationship.declaringEntityName
    }
  }
}

/// An attribute's columns.
package struct AttributeLayout: Sendable {
  package let description: AttributeDescription
  package let declaringEntityName: String
  /// One column, or a composite's flattened elements in declared order (CD-2.4); empty for a composite without any.
  package let columns: [AttributeColumn]
  private let positions: [[String]: Int]

  init(description: AttributeDescription, declaringEntityName: String, columns: [AttributeColumn]) {
    self.description = description
    self.declaringEntityName = declaringEntityName
    self.columns = columns
    positions =
      description.type == .composite
      ? Dictionary(columns.enumerated().map { ($0.element.path, $0.offset) }, uniquingKeysWith: { first, _ in first })
      : [:]
  }

  /// The only column; `nil` for a composite.
  package var column: AttributeColumn? { description.type == .composite ? nil : columns.first }

  /// The column of a composite's element, by the names that lead to it, the attribute's own first.
  func column(at path: [String]) -> AttributeColumn? { positions[path].map { columns[$0] } }
}

/// The other side of a relationship.
package struct InverseLayout: Sendable, Hashable {
  /// The entity that declares the inverse: the destination or a superentity of it.
  package let entityName: String
  package let description: RelationshipDescription
}

/// A to-one relationship: a key in the row's own table (CD-3.1).
package struct ToOneLayout: Sendable {
  package let description: RelationshipDescription
  package let declaringEntityName: String
  package let destinationName: String
  package let destinationNumber: Int
  package let destinationTable: Identifier
  package let inverse: InverseLayout?
  /// Holds the destination's `Z_PK`, or NULL.
  package let key: Identifier
  /// The key at the other end of a one-to-one relationship, in the destination's table; a store may have only one of the two set.
  package let inverseKey: Identifier?
  /// Holds the destination row's actual `Z_ENT`; exists only if the destination entity has subentities.
  package let entityColumn: Identifier?
  /// Holds this row's place among the owner's objects; exists only if the inverse is ordered (CD-3.2).
  package let orderColumn: Identifier?
}

/// A to-many relationship: nothing in the row itself.
package struct ToManyLayout: Sendable {
  package let description: RelationshipDescription
  package let declaringEntityName: String
  package let destinationName: String
  package let destinationNumber: Int
  package let destinationTable: Identifier
  package let inverse: InverseLayout?
  package let storage: Storage

  package enum Storage: Sendable, Hashable {
    /// The key of the inverse to-one relationship, or, without an inverse, a key of this relationship's own (CD-3.2).
    case key(KeySide)
    /// A table of pairs (CD-3.3).
    case joinTable(JoinSide)
  }

  /// The key in the destination's table that leads back to the owner.
  package struct KeySide: Sendable, Hashable {
    package let table: Identifier
    package let key: Identifier
    /// The owner's `Z_ENT`, beside the key of an inverse whose destination has subentities; never for virtual keys.
    package let entityColumn: Identifier?
    /// The place among the owner's objects, if the relationship is ordered.
    package let orderColumn: Identifier?
    /// Whether the key belongs to no relationship of the destination (a relationship without inverse).
    package let isVirtual: Bool
  }

  /// A join table seen from this relationship's owner.
  package struct JoinSide: Sendable, Hashable {
    package let table: Identifier
    /// Holds the owner's `Z_PK`.
    package let ownColumn: Identifier
    /// Holds the `Z_PK` of the object at the other end.
    package let otherColumn: Identifier
    /// The place of the other object among the owner's, if this relationship is ordered.
    package let orderColumn: Identifier?
    /// The place of the owner among the other object's, if the inverse is ordered.
    package let inverseOrderColumn: Identifier?
    /// The relationship is its own inverse: every pair is stored in both directions, two rows.
    package let isReflexive: Bool
  }
}

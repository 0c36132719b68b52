package import ManagedModel
package import SQLite

/// The columns of a property. Transient and fetched properties are not stored, and have no layout.
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

  /// The entity that declares the property first: the entity itself or a superentity.
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
  /// A single column, or the flattened elements of a composite in declared order (CD-2.4); empty for a composite
  /// without elements.
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

  /// The single column; `nil` for a composite.
  package var column: AttributeColumn? { description.type == .composite ? nil : columns.first }

  /// The single column, also that of an enumeration's raw values; `nil` for other composites.
  var singleColumn: AttributeColumn? { description.isEnumeration ? columns.first : column }

  /// The column of a composite's element, or of its element's raw value. The path begins with the attribute's name.
  func column(at path: [String]) -> AttributeColumn? {
    (positions[path] ?? path.last.flatMap { positions[path + [$0]] }).map { columns[$0] }
  }
}

/// The other side of a relationship.
package struct InverseLayout: Sendable, Hashable {
  /// The entity that declares the inverse: the destination, or a superentity of it.
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
  /// The destination's `Z_PK`, or NULL.
  package let key: Identifier
  /// The other key of a one-to-one relationship, in the destination's table. A store may have set only one of the two.
  package let inverseKey: Identifier?
  /// The actual `Z_ENT` of the destination row; exists only if the destination entity has subentities.
  package let entityColumn: Identifier?
  /// This row's order key among the owner's objects; exists only if the inverse is ordered (CD-3.2).
  package let orderColumn: Identifier?
}

/// A to-many relationship. The row itself has no column for it.
package struct ToManyLayout: Sendable {
  package let description: RelationshipDescription
  package let declaringEntityName: String
  package let destinationName: String
  package let destinationNumber: Int
  package let destinationTable: Identifier
  package let inverse: InverseLayout?
  package let storage: Storage

  package enum Storage: Sendable, Hashable {
    /// The key of the inverse to-one relationship, or a virtual key if there is no inverse (CD-3.2).
    case key(KeySide)
    /// A join table (CD-3.3).
    case joinTable(JoinSide)
  }

  /// The key in the destination's table that refers to the owner.
  package struct KeySide: Sendable, Hashable {
    package let table: Identifier
    package let key: Identifier
    /// The column of the owner's `Z_ENT`, if the inverse's destination has subentities; `nil` for virtual keys.
    package let entityColumn: Identifier?
    /// The order key among the owner's objects, if the relationship is ordered.
    package let orderColumn: Identifier?
    /// Whether the key belongs to a relationship without inverse, and so to no property of the destination.
    package let isVirtual: Bool
  }

  /// A join table seen from this relationship's owner.
  package struct JoinSide: Sendable, Hashable {
    package let table: Identifier
    /// The owner's `Z_PK`.
    package let ownColumn: Identifier
    /// The `Z_PK` of the object at the other end.
    package let otherColumn: Identifier
    /// The order key of the other object among the owner's objects, if this relationship is ordered.
    package let orderColumn: Identifier?
    /// The order key of the owner among the other object's objects, if the inverse is ordered.
    package let inverseOrderColumn: Identifier?
    /// Whether the relationship is its own inverse. Every pair is then stored twice, once for each direction.
    package let isReflexive: Bool
  }
}

/// Identifies a relationship: its name, and the entity that declares it first.
package struct RelationshipName: Hashable, Sendable, Comparable {
  package let entity: String
  package let relationship: String

  package init(entity: String, relationship: String) {
    self.entity = entity
    self.relationship = relationship
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.entity, left.relationship) < (right.entity, right.relationship)
  }
}

/// A one-to-one relationship with the places of its two keys, in an engine's own words.
package struct OneToOne<Side: Sendable>: Sendable {
  /// In the order of their names, so that it does not depend on which of the two a save writes; one side if the relationship is
  /// its own inverse.
  package let sides: [Side]

  package var isReflexive: Bool { sides.count == 1 }

  package func side(_ side: PartnerLinks.Side) -> Side { sides[isReflexive ? 0 : side.rawValue] }

  /// The one-to-one relationships of a store, each once.
  package static func all(_ sides: [RelationshipName: (side: Side, inverse: RelationshipName)]) -> [OneToOne] {
    sides.sorted { $0.key < $1.key }.compactMap { name, known in
      if known.inverse == name { return OneToOne(sides: [known.side]) }
      guard name < known.inverse, let other = sides[known.inverse], other.inverse == name else { return nil }
      return OneToOne(sides: [known.side, other.side])
    }
  }
}

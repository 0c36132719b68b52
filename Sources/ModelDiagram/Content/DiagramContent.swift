import ManagedModel

/// What a diagram shows, before anything has a place: a box per entity, and links between boxes.
struct DiagramContent: Sendable {
  let title: String
  /// In declared order.
  let boxes: [Box]
  /// Relationships in declared order, an inverse together with its other side; then inheritance.
  let links: [Link]

  struct Box: Sendable {
    var name: String
    var isAbstract: Bool
    /// Attributes, then fetched properties, then relationships.
    var rows: [Row]
  }

  struct Row: Sendable {
    enum Kind {
      case attribute, fetchedProperty, relationship
    }

    var kind: Kind
    var name: String
    /// What the property holds: `String?`, `0..* Book`.
    var type: String
    /// What else is to be said of it, in words: `unique`, `derived`, `cascade`.
    var remarks: [String] = []
    /// Whether the store has nothing of it.
    var isTransient = false
  }

  /// A place where a link ends: a row of a box, or the box as such.
  struct End: Sendable, Hashable {
    var box: Int
    var row: Int?
  }

  struct Link: Sendable {
    enum Kind: Hashable {
      /// From a relationship to its inverse, or to the destination as such where there is none.
      case relationship
      /// From an entity to its superentity.
      case inheritance
    }

    var kind: Kind
    var from: End
    var to: End
    /// How many objects at `to` an object at `from` has.
    var toMultiplicity: Multiplicity?
    /// How many objects at `from` an object at `to` has; `nil` where there is no inverse.
    var fromMultiplicity: Multiplicity?
  }

  /// The numbers of objects that a relationship allows.
  struct Multiplicity: Sendable, Hashable {
    var minimum: Int
    /// `nil` for no bound.
    var maximum: Int?

    var isMany: Bool { maximum != 1 }

    /// `0..1`, `1`, `0..*`, `2..5`.
    var text: String {
      guard let maximum else { return "\(minimum)..*" }
      return minimum == maximum ? "\(minimum)" : "\(minimum)..\(maximum)"
    }
  }
}

extension DiagramContent.Multiplicity {
  init(_ relationship: RelationshipDescription) {
    minimum = relationship.isOptional ? 0 : max(1, relationship.minimumCount)
    maximum = relationship.maximumCount <= 0 ? nil : max(minimum, relationship.maximumCount)
  }
}

import ManagedModel

/// The content of a diagram without any positions: a box per entity, and links between boxes.
struct DiagramContent: Sendable {
  let title: String
  /// In declared order.
  let boxes: [Box]
  /// Relationships in declared order, each pair of inverses as one link; then inheritance.
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
    /// The type of the property's value: `String?`, `0..* Book`.
    var type: String
    /// Further facts in words: `unique`, `= pages.@count`, `cascade`.
    var remarks: [String] = []
    /// Whether the store keeps nothing of the property.
    var isTransient = false
  }

  /// An end of a link: a row of a box, or the box itself.
  struct End: Sendable, Hashable {
    var box: Int
    var row: Int?
  }

  struct Link: Sendable {
    enum Kind: Hashable {
      /// From a relationship to its inverse or, without an inverse, to the destination's box.
      case relationship
      /// From an entity to its superentity.
      case inheritance
    }

    var kind: Kind
    var from: End
    var to: End
    /// The number of objects at `to` for one object at `from`.
    var toMultiplicity: Multiplicity?
    /// The number of objects at `from` for one object at `to`; `nil` without an inverse.
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

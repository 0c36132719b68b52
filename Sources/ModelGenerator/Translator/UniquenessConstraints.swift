import ManagedModel

/// An entity's constraints, divided by the place of their declaration in Swift.
///
/// A constraint on a single property that the entity itself declares is an option of the property. Every other
/// constraint is in `#Unique`. All constraints are kept, because each is hashed (VH-3).
struct UniquenessConstraints {
  private let onProperties: Set<String>
  /// Constraints for `#Unique`, unchanged from the model.
  let remaining: [[String]]

  init(_ entity: EntityDescription) {
    var onProperties: Set<String> = []
    var remaining: [[String]] = []
    let own = Set(entity.properties.filter(Self.mayBeUnique).map(\.name))
    for constraint in entity.uniquenessConstraints where !constraint.isEmpty {
      if constraint.count == 1, own.contains(constraint[0]), onProperties.insert(constraint[0]).inserted { continue }
      remaining.append(constraint)
    }
    self.onProperties = onProperties
    self.remaining = remaining
  }

  func isUnique(_ property: String) -> Bool { onProperties.contains(property) }

  private static func mayBeUnique(_ property: PropertyDescription) -> Bool {
    switch property {
    case .attribute(let attribute): !attribute.isTransient
    case .relationship(let relationship): !relationship.isToMany && !relationship.isTransient
    case .fetchedProperty: false
    }
  }
}

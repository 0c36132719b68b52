internal import ManagedModel

extension ModelDifference {
  /// The properties, and the structures with members, whose values an inferred migration removes.
  static func removals(from source: ModelDescription, to destination: ModelDescription) -> [ModelChange] {
    let matching = ModelMatching(from: source, to: destination)
    return ModelDifference(from: source, to: destination).changes.filter { change in
      switch change.kind {
      case .propertyRemoved: change.migration != .none && !matching.keepsValues(of: change)
      case .compositeElementsChanged(let removed): !removed.isEmpty
      default: false
      }
    }
  }
}

extension ModelMatching {
  /// Whether the values of a removed property survive: a derived attribute can be computed anew, and an inverse keeps the pairs of a
  /// relationship.
  fileprivate func keepsValues(of change: ModelChange) -> Bool {
    guard let name = change.property, let entity = source(of: change.entity) else { return false }
    switch source.property(name, of: entity) {
    case .attribute(let attribute): return attribute.derivation != nil
    case .relationship(let relationship): return keepsPairs(of: relationship)
    case .fetchedProperty, nil: return false
    }
  }

  private func keepsPairs(of relationship: RelationshipDescription) -> Bool {
    guard let inverse = relationship.inverseName else { return false }
    return source.concreteKinds(of: relationship.destinationEntityName).contains { kind in
      self.destination(of: kind).map { properties(of: $0).values.contains(inverse) } ?? false
    }
  }
}

internal import ManagedModel

extension ModelDifference {
  /// The properties, and the structures with members, whose values an inferred migration removes.
  static func removals(from source: ModelDescription, to destination: ModelDescription) -> [ModelChange] {
    let matching = ModelMatching(from: source, to: destination)
    return ModelDifference(from: source, to: destination).changes.filter { change in
      switch change.kind {
      case .propertyRemoved: change.migration != .none && !matching.keepsPairs(of: change)
      case .compositeElementsChanged(let removed): !removed.isEmpty
      default: false
      }
    }
  }
}

extension ModelMatching {
  /// Whether a removed property is a relationship whose inverse stays, and the pairs with it.
  fileprivate func keepsPairs(of change: ModelChange) -> Bool {
    guard let name = change.property, let entity = source(of: change.entity),
      let relationship = source.relationship(name, of: entity), let inverse = relationship.inverseName
    else { return false }
    return source.concreteKinds(of: relationship.destinationEntityName).contains { kind in
      self.destination(of: kind).map { properties(of: $0).values.contains(inverse) } ?? false
    }
  }
}

internal import ManagedModel

extension ModelDifference {
  /// The properties, and the structures with members, whose values an inferred migration removes.
  var removals: [ModelChange] {
    changes.filter { change in
      switch change.kind {
      case .propertyRemoved: change.migration != .none
      case .compositeElementsChanged(let removed): !removed.isEmpty
      default: false
      }
    }
  }
}
